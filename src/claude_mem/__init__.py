"""The module of the second ancestor: `import claude_mem` goes on working.

    >>> import claude_mem  # doctest: +SKIP
    >>> claude_mem.remember("用户喜欢深色模式", tags=["偏好"])  # doctest: +SKIP
    'mem_…'

It translates and implements nothing; see `memstone.compat.claude_mem`.
"""

from memstone.compat.claude_mem import Recalled, forget, recall, remember

__all__ = ["Recalled", "forget", "recall", "remember"]
