/** Which names a recursive operation takes: globs over the key or path relative to its root. */
export interface Filter {
  /** Takes a name when one matches; none takes all. */
  readonly include?: readonly string[] | undefined;
  /** Leaves a name out when one matches; wins over include. */
  readonly exclude?: readonly string[] | undefined;
}
