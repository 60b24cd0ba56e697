"""All parts of the kit as one base class."""

from __future__ import annotations

from memstone.testing.agents import AgentConformance
from memstone.testing.atomicity import AtomicityConformance
from memstone.testing.conversations import ConversationConformance
from memstone.testing.feedback import FeedbackConformance
from memstone.testing.files import FileConformance
from memstone.testing.indexes import IndexConformance
from memstone.testing.log import LogConformance
from memstone.testing.postings import PostingsConformance
from memstone.testing.rows import RowConformance
from memstone.testing.selection import SelectionConformance
from memstone.testing.shape import ShapeConformance
from memstone.testing.statistics import StatisticsConformance
from memstone.testing.versions import VersionConformance
from memstone.testing.walls import WallConformance


class StoreConformance(
    ShapeConformance,
    RowConformance,
    FileConformance,
    SelectionConformance,
    VersionConformance,
    PostingsConformance,
    IndexConformance,
    StatisticsConformance,
    WallConformance,
    LogConformance,
    FeedbackConformance,
    AgentConformance,
    ConversationConformance,
    AtomicityConformance,
):
    """Everything a `memstone.protocols.Store` must do; subclass it and give it `make_store`."""
