"""English stems by Snowball's C code, loaded at the first word that needs one.

Only words of a–z are stemmed: for other words the English rules would cut at random. A stemmer
object must not be used by two threads at once, and a lock could be inherited locked by a fork, so
each thread has its own.
"""

from __future__ import annotations

from threading import local

TYPE_CHECKING = False
if TYPE_CHECKING:
    from memstone.protocols import Stemmer


class _PerThread(local):
    stemmer: Stemmer | None = None


_PER_THREAD = _PerThread()


def stem(word: str) -> str:
    """The stem of a folded word; the word itself unless it is all a–z.

    >>> stem("deployments"), stem("запуск")
    ('deploy', 'запуск')
    """
    if not (word.isascii() and word.isalpha()):
        return word
    stemmer = _PER_THREAD.stemmer
    if stemmer is None:
        import Stemmer  # noqa: PLC0415  8 ms that a command without text need not pay

        stemmer = _PER_THREAD.stemmer = Stemmer.Stemmer("english")
        assert stemmer is not None
    return stemmer.stemWord(word)
