/** Exit code of `cavemem remember` for a text over 262,144 bytes. */
export declare const MEMORY_TOO_LARGE_EXIT_CODE: 65;

/** Every figure of `cavemem` is inferred, not measured. */
export type Basis = "inferred";

export interface Remembered {
  basis: Basis;
  created_at: string;
  id: string;
}

export interface Hit {
  id: string;
  text: string;
  score: number;
  tokens_added: number;
  basis: Basis;
  /** Only on a hit whose text was shortened. */
  recovery_handle?: string;
}

export interface Recalled {
  basis: Basis;
  hits: Hit[];
}

export interface Superseded {
  basis: Basis;
  created_at: string;
  id: string;
  supersedes: string;
}

export interface Version {
  id: string;
  text: string;
  created_at: string;
  valid_from: string;
  valid_until?: string;
  supersedes?: string;
  superseded_by?: string;
}

export interface History {
  basis: Basis;
  history: Version[];
}

export interface Forgotten {
  forgotten: boolean;
}

/** What a call rejects with, unless the answer was not JSON (then a SyntaxError). */
export declare class CavememError extends Error {
  readonly name: "CavememError";
  /** The exit code, or the system's name of the failure; null if a signal ended the command. */
  readonly code: number | "ENOENT" | "ERR_CHILD_PROCESS_STDIO_MAXBUFFER" | (string & {}) | null;
  readonly signal: string | null;
  readonly stdout: string;
  readonly stderr: string;
}

export declare function remember(text: string): Promise<Remembered>;
export declare function recall(
  query: string,
  limit?: number | null,
  tokenBudget?: number | null,
): Promise<Recalled>;
export declare function supersede(id: string, text: string): Promise<Superseded>;
export declare function history(id: string): Promise<History>;
export declare function forget(id: string): Promise<Forgotten>;
