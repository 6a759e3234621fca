/** Short reason of a system error. */
export function reasonOf(cause: unknown): string {
  const code = cause instanceof Error && 'code' in cause ? String(cause.code) : '';
  const words: Readonly<Record<string, string>> = {
    ENOENT: 'there is no such file',
    EISDIR: 'it is a folder',
    ENOTDIR: 'a part of the path is not a folder',
    EACCES: 'permission denied',
    EPERM: 'permission denied',
    READ_ONLY: 'the file is read-only',
    EROFS: 'the disk is read-only',
    ENAMETOOLONG: 'the name is too long',
    ENOSPC: 'the disk is full',
  };
  return words[code] ?? (code || String(cause));
}
