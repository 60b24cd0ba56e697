"""Words that ask rather than say: dropped from a query, never from what is stored.

English: function words, question words, pronouns, auxiliaries, contractions; `may` stays, it is a
month. Chinese has no spaces, so `without_stop_words` reads the longest known word at each place;
`KEPT` lists ordinary words that merely contain a stop character (目的, 了解, 首都), so that they
are not shredded. The lists need not be complete: a stop word left in costs little because it is
frequent, and a word cut short still matches by its other characters.
"""

from __future__ import annotations

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Sequence


def _words(text: str) -> frozenset[str]:
    return frozenset(text.split())


ENGLISH = _words(
    """
    a an the this that these those i me my mine myself we us our ours ourselves you your yours
    yourself yourselves he him his himself she her hers herself it its itself they them their
    theirs themselves one someone anyone everyone something anything everything what which who
    whom whose when where why how whether am is are was were be been being do does did done doing
    have has had having can could shall should will would might must ought and or but nor if then
    else than so as because while although though unless until since of at by for with about
    against between into through during before after above below to from in out on off over under
    up down upon within without toward towards onto via per not no any some all both each every
    few more most other others another such own same too very just also only even ever again still
    already yet here there now please let lets i'm i've i'll i'd you're you've you'll you'd we're
    we've we'll we'd they're they've they'll they'd he'll he'd she'll she'd it'll it'd that'll
    that'd there'll who'll who'd what're what'd where'd how'd why'd when'd don't doesn't didn't
    isn't aren't wasn't weren't haven't hasn't hadn't can't couldn't won't wouldn't shouldn't
    shan't mustn't mightn't needn't ain't dont doesnt didnt isnt arent wasnt werent havent hasnt
    hadnt cant couldnt wont wouldnt shouldnt whats thats ive youre theyre
    ok okay thanks thank thx hello hi hey yes yeah yep nope sure sorry bye goodbye welcome
    """
)

CHINESE = _words(
    """
    的 了 是 吗 嗎 呢 吧 啊 呀 嘛 哦 么 我 你 您 他 她 它 谁 誰 哪 几 幾 在 有 和 与 與 或 也 都
    就 还 還 很 把 被 给 給 这 這 那 我们 我們 你们 你們 您们 他们 他們 她们 她們 它们 它們 咱们
    咱們 大家 自己 我的 你的 您的 他的 她的 它的 我们的 我們的 你们的 你們的 他们的 他們的 谁的
    誰的 什么 什麼 甚么 怎么 怎麼 怎样 怎樣 怎么样 怎麼樣 如何 为什么 為什麼 为何 為何 何时 何時
    何处 何處 什么时候 什麼時候 啥 为啥 為啥 咋 哪里 哪裡 哪裏 哪儿 哪兒 哪个 哪個 哪些 哪位 哪种
    哪種 哪家 哪一个 哪一個 哪天 哪年 多少 几个 幾個 是什么 是什麼 是谁 是誰 是否 是不是 有没有
    有沒有 能不能 会不会 會不會 可不可以 要不要 在哪里 在哪裡 在哪儿 在哪 有什么 有什麼 有哪些
    有多少 这个 這個 那个 那個 这些 這些 那些 这里 這裡 那里 那裡 这样 這樣 那样 那樣 这种 這種
    那种 那種 以及 或者 还是 還是 但是 但 因为 因為 所以 如果 而且 并且 並且 然后 然後 虽然 雖然
    于是 於是 不过 不過 除了 为了 為了 关于 關於 对于 對於 至于 至於 由于 由於 就是 也是 都是 不是
    还有 還有 也许 一个 一個 一下 一些 一种 一種 请问 請問 请告诉我 請告訴我 告诉我 告訴我 帮我
    幫我 是的 好的 来着 來著 以下 以上 下列 上述 其 其中 其实 其實 尤其 最 实际上 實際上 事实上
    事實上 真正 另外 此外 那么 那麼 话说 話說 话说回来 話說回來 对了 對了 不好意思 等等 等一下
    停一下 问一下 問一下 想问 想問 想问的是 想問的是 我想问 我想問 想知道 我想知道 可以 能够 能夠
    可能 应该 應該 必须 必須 哎呀 哎哟 哎喲 哎 唉 诶 欸 额 呃 咦 嗯 哇 啦 呗 喔 噢 哟
    谢谢 謝謝 谢谢你 謝謝你 多谢 多謝 你好 您好 再见 再見 晚安
    早上好 上午好 中午好 下午好 晚上好 没问题 沒問題 不客气 不客氣 对不起 對不起 抱歉 哈哈
    """
)

KEPT = _words(
    """
    目的 目的地 的确 的確 的士 打的 标的 標的 标的物 有的放矢 了解 了結 了结 了断 了斷 了然 明了
    未了 了不起 了如指掌 罢了 不了了之 受不了 是非 国是 國是 实事求是 實事求是 似是而非 自以为是
    惹是生非 我国 我國 自我 忘我 敌我 迷你 其他 他人 吉他 利他 排他 他乡 他鄉 维他命
    其它 吗啡 嗎啡 呢绒 呢子 酒吧 网吧 網吧 贴吧 书吧 吧台 喇嘛 哪吒 哪怕 几何 幾何 几乎 幾乎 茶几
    几率 几内亚 几近 几许 存在 现在 現在 在线 在線 在职 在職 在于 在於 在意 在场 在場 实在 實在
    所在 所在地 潜在 潛在 内在 內在 外在 在乎 在校 在读 在編 在编 自在 在野 在逃 在岗 在家 在途
    在建 在内 在即 正在 有限 有效 有关 有關 有趣 有名 有害 有机 有機 有利 有用 有毒 有钱 有病 有空
    有序 有助 有点 有點 有时 有時 有余 有色 有望 有幸 有偿 有償 有形 有线 有線 有源 有氧 有意
    有意思 有期 有效期 有限公司 所有 拥有 擁有 没有 沒有 只有 具有 国有 國有 私有 持有 占有 固有
    含有 享有 原有 特有 稀有 公有 共有 专有 專有 据有 所有权 所有權 有人 有声 有聲 有力 有误 有誤
    有无 有無 未有 少有 富有 有道 和平 和谐 和諧 共和 共和国 共和國 和解 温和 溫和 和尚 和服 和田
    缓和 緩和 饱和 飽和 和睦 和声 和聲 和弦 暖和 附和 中和 和气 和氣 总和 總和 柔和 平和 亲和 親和
    祥和 随和 隨和 呼和浩特 颐和园 頤和園 雍和宫 和珅 义和团 義和團 和歌山 昭和 大和 和约 和約
    议和 議和 求和 讲和 和亲 和親 仁和 参与 參與 与会 與會 与否 與否 与时俱进 与众不同 赠与 贈與
    也门 首都 成都 都市 都江堰 古都 京都 故都 都督 建都 定都 国都 國都 丰都 迁都 遷都 帝都 都城
    陪都 都柏林 都灵 花都 大都会 大都 魔都 成就 就业 就業 就职 就職 就读 就讀 就医 就醫 造就 就诊
    就診 就餐 就任 就绪 就緒 迁就 就地 就寝 就近 将就 將就 就座 就学 就學 归还 歸還 还款 還款 还原
    還原 偿还 償還 还债 還債 还钱 還錢 还清 還清 退还 退還 返还 返還 还价 生还 生還 交还 交還 还书
    還書 把握 把手 把关 把關 火把 把柄 拖把 把戏 把守 扫把 被子 棉被 被告 植被 被单 被褥 被套 被动
    被動 被窝 被害 被害人 被告人 供给 供給 给予 給予 补给 補給 配给 配給 自给 自給 给水 給水 给力
    给付 給付 刹那 那不勒斯 那曲 或许 或許 或然
    最近 最后 最後 最初 最终 最終 其他 其它 土耳其 莫名其妙 名副其实 额度 额头 额外 喔喔
    """
)

_LONGEST = max(map(len, CHINESE | KEPT))


def without_stop_words(characters: Sequence[str]) -> list[list[str]]:
    """What remains of a CJK run, as stretches of neighbours, each a list of characters.

    At each place the longest word of either list decides.

    >>> without_stop_words(list("我们的目的是什么"))
    [['目', '的']]
    """
    stretches: list[list[str]] = [[]]
    index = 0
    while index < len(characters):
        word, known = _longest_word(characters, index)
        if word in CHINESE and known:
            stretches.append([])
        else:
            stretches[-1] += characters[index : index + known] or [characters[index]]
        index += max(known, 1)
    return [stretch for stretch in stretches if stretch]


def _longest_word(characters: Sequence[str], index: int) -> tuple[str, int]:
    """The longest listed word that starts there and its number of characters, or ("", 0)."""
    for length in range(min(_LONGEST, len(characters) - index), 0, -1):
        word = "".join(characters[index : index + length])
        if word in KEPT or word in CHINESE:
            return word, length
    return "", 0
