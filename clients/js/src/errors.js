/**
 * Every way in which a call can fail, as one class with a stable `code`.
 *
 * The command names its errors in JSON on standard error (`{"error": {"code", "message", …}}`); the
 * codes below are its codes, and a test compares them with the Python package. What can only go
 * wrong on this side (no command there, out of time, stopped, an answer that is none) has a code of
 * its own. Whoever catches an error looks at `code`: messages may change, codes do not, and
 * `instanceof` alone would fail as soon as two copies of this package are installed.
 */

/** Exit code of the command for a text over 262,144 bytes (and for other malformed input). */
export const MEMORY_TOO_LARGE_EXIT_CODE = 65;

/** The codes of the command itself. */
export const COMMAND_CODES = Object.freeze([
  "ambiguous_id", "blank_text", "cannot_create", "client_file_refused", "config_error",
  "conflict", "error", "internal", "invalid_budget", "invalid_filter", "invalid_handle",
  "invalid_input", "invalid_scope", "invalid_text", "invalid_time", "lineage_broken",
  "memory_file_refused", "memory_too_large", "not_archived", "not_current", "not_found",
  "not_held", "older_version", "output_failed", "paused", "secret_found", "source_malformed", "source_missing",
  "store_busy", "store_closed", "store_damaged", "store_error", "store_full", "store_missing",
  "store_newer", "store_older", "store_unsafe", "summarizer_error", "summarizer_unavailable",
  "summary_invalid", "token_cap_reached", "text_held", "text_is_current", "text_is_history",
  "text_not_unicode", "text_unchanged", "undo_blocked", "usage", "wrong_type",
]);

/** The codes of what goes wrong between this client and the command. */
export const CLIENT_CODES = Object.freeze([
  "ENOENT", "EACCES", "E2BIG", "aborted", "timeout", "output_too_large", "bad_answer",
  "command_failed",
]);

/** An error of the command or of calling it. */
export class MemstoneError extends Error {
  /**
   * @param {string} code stable name of what went wrong
   * @param {string} message one line for a person
   * @param {{exitCode?: number | null, hint?: string | null, fields?: object, cause?: unknown}} more
   */
  constructor(code, message, { exitCode = null, hint = null, fields = {}, cause } = {}) {
    super(message, cause === undefined ? undefined : { cause });
    // `AbortError` is what every caller of an abortable function looks for
    this.name = code === "aborted" ? "AbortError" : "MemstoneError";
    this.code = code;
    this.exitCode = exitCode;
    this.hint = hint;
    this.fields = fields;
  }
}
