"""One real store of every released schema, opened by today's code: nothing lost, all recallable."""

from __future__ import annotations

import shutil
from pathlib import Path

import apsw
import pytest

import memstone
from memstone.storage.sqlite import migrations

DATA = Path(__file__).parent.parent / "data"
STORES = sorted(DATA.glob("schema-*.db"))


def opened(store: Path, folder: Path) -> memstone.Engine:
    target = folder / "mem.db"
    shutil.copyfile(store, target)
    target.chmod(0o600)
    return memstone.open(folder, user="ana")


def test_there_is_a_store_of_every_schema_before_this_one() -> None:
    numbers = [int(store.stem.removeprefix("schema-")) for store in STORES]
    assert numbers == list(range(1, migrations.SCHEMA_NUMBER))


@pytest.mark.parametrize("store", STORES, ids=lambda store: store.stem)
def test_case_75_an_old_store_opens_whole_and_a_second_open_changes_nothing(
    store: Path, tmp_path: Path
) -> None:
    with opened(store, tmp_path) as engine:
        assert "8 memories before, 8 after" in str(engine.upgraded)
        assert [hit.text for hit in engine.recall("what is the cloud budget?")] == [
            "The cloud budget is 200 euros"
        ]
        assert [hit.text for hit in engine.recall("语气")] == [
            "用户要求所有回复使用轻松的语气，技术名词保留英文"
        ]
        assert [hit.text for hit in engine.recall("where does the staging cluster run?")] == [
            "the staging cluster runs in eu-west-1"
        ]
        assert engine.stats().forgotten == 1
        budget = engine.list(tags=["money"])[0]
        assert [memory.text for memory in engine.history(budget.id)] == [
            "The cloud budget is 100 euros",
            "The cloud budget is 200 euros",
        ]
        assert engine.feedback()[0].query == "what is the budget"
    (copy,) = tmp_path.glob("mem.db.before-upgrade-*")
    with memstone.open(tmp_path, user="ana") as engine:
        assert engine.upgraded is None
    assert list(tmp_path.glob("mem.db.before-upgrade-*")) == [copy]


@pytest.mark.parametrize("store", STORES, ids=lambda store: store.stem)
def test_the_copy_that_an_upgrade_keeps_is_the_old_store(store: Path, tmp_path: Path) -> None:
    opened(store, tmp_path).close()
    (copy,) = tmp_path.glob("mem.db.before-upgrade-*")
    number = int(store.stem.removeprefix("schema-"))
    connection = apsw.Connection(str(copy), flags=apsw.SQLITE_OPEN_READONLY)
    assert connection.execute("PRAGMA user_version").fetchall() == [(number,)]
    assert connection.execute("SELECT count(*) FROM memory").fetchall() == [(8,)]
    connection.close()


@pytest.mark.parametrize("store", STORES, ids=lambda store: store.stem)
def test_case_75_a_counter_that_ran_ahead_of_an_upgrade_is_not_believed(
    store: Path, tmp_path: Path
) -> None:
    target = tmp_path / "mem.db"
    shutil.copyfile(store, target)
    target.chmod(0o600)
    connection = apsw.Connection(str(target))
    connection.execute(f"PRAGMA user_version = {migrations.SCHEMA_NUMBER}").fetchall()
    connection.close()
    with memstone.open(tmp_path, user="ana") as engine:
        assert engine.count(history=True) == 8
        told = ["s1"] if store.stem == "schema-2" else []  # schema 1 knew no sessions
        assert [use.session for use in engine.status().sessions] == told
        assert engine.pending().conversations == 1  # its turns wait for their cards
        assert engine.flush().conversations == 1
        assert not engine.pending()
