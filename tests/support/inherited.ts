/**
 * What a program that a test starts with an environment of its own still inherits: where Deno and npm
 * keep their packages, and how they reach the registry.
 *
 * @module
 */

const names =
  /^(PATH|HOME|TMPDIR|XDG_CACHE_HOME|DENO_DIR|DENO_CERT|DENO_TLS_CA_STORE|NODE_EXTRA_CA_CERTS|SSL_CERT_(FILE|DIR)|npm_config_.+|(https?|no)_proxy)$/i

/** These variables of the environment of the tests. */
export const inherited = (): Readonly<Record<string, string>> =>
  Object.fromEntries(Object.entries(Deno.env.toObject()).filter(([name]) => names.test(name)))
