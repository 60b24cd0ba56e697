/**
 * memstone from JavaScript: the client, and each of its verbs as a function on a default client.
 *
 * The default client has no options of its own: which command, store and scope are meant is told by
 * the environment and the current folder at the time of each call.
 */

import { Memstone } from "./client.js";

export { Memstone } from "./client.js";
export {
  CLIENT_CODES, COMMAND_CODES, MEMORY_TOO_LARGE_EXIT_CODE, MemstoneError,
} from "./errors.js";
export { MAX_OUTPUT_BYTES } from "./process.js";

const client = new Memstone();
const on = (method) => (...given) => client[method](...given);

export const approve = on("approve");
export const block = on("block");
export const config = on("config");
export const expire = on("expire");
export const conflicts = on("conflicts");
export const feedback = on("feedback");
export const forget = on("forget");
export const forgetWhere = on("forgetWhere");
export const get = on("get");
export const history = on("history");
export const incognito = on("incognito");
export const init = on("init");
export const list = on("list");
export const log = on("log");
export const pause = on("pause");
export const pin = on("pin");
export const recall = on("recall");
export const recover = on("recover");
export const recoverBytes = on("recoverBytes");
export const remember = on("remember");
export const restore = on("restore");
export const resume = on("resume");
export const resolve = on("resolve");
export const review = on("review");
export const right = on("right");
export const show = on("show");
export const stats = on("stats");
export const status = on("status");
export const supersede = on("supersede");
export const tag = on("tag");
export const undo = on("undo");
export const unpin = on("unpin");
export const untag = on("untag");
export const why = on("why");
export const work = on("work");
export const wrong = on("wrong");

// `import` and `export` are words of the language: as names of a module they need a detour
const importSource = on("import");
const exportMemories = on("export");
export { exportMemories as export, importSource as import };
