"""`chat.py` in Chinese. 会记事的聊天程序：先回忆，再放进提示词，调用模型，最后记下来.

    python examples/chat_zh.py --fake
    python examples/chat_zh.py --openai http://127.0.0.1:11434/v1 模型名
    python examples/chat_zh.py --anthropic 模型名        （密钥放在 ANTHROPIC_API_KEY 里）

`--fake` 不需要模型和密钥，直接显示回忆到的内容。空行或 Ctrl-D 结束，结束时整理索引卡和变化的事实。
程序本身与 `chat.py` 相同，这里只有中文的说法。
"""

from __future__ import annotations

import sys

from chat import Words, main

CHINESE = Words(
    system="你是一个乐于助人的助手。请用中文回答，需要时参考下面的记忆。",
    you="你> ",
    nothing="（我还不记得相关的事。）",
    no_key="没有设置 ANTHROPIC_API_KEY；设置它，或者试试不需要密钥的 --fake",
    no_answer="模型没有回答：{why}\n你说的话已经记下了。--fake 不需要模型。",
    remembered="根据你告诉过我的：",
    done="已记住：{turns} 轮发言，{cards} 张卡片，{statements} 条事实；更新了 {replaced} 条旧的",
)

if __name__ == "__main__":
    sys.exit(main(CHINESE))
