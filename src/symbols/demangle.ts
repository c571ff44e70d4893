/** Endings of Fortran sources, fixed and free form. */
const FORTRAN_FILE = /\.(f|for|ftn|f77|f90|f95|f03|f08|f18)$/i;

/**
 * How Fortran compilers name procedures of modules for the linker: gfortran, Intel, flang, and the
 * NVIDIA and classic flang compilers.
 */
const MODULE_PROCEDURES = [
  /^__(\w+(?:\.\w+)?)_MOD_(\w+)$/,
  /^(\w+)_mp_(\w+?)_$/,
  /^_QM(\w+?)P([a-z]\w*)$/,
];

/**
 * A Fortran name as it stands in the source, as far as that can be told: `module::procedure`, and without
 * the underscore that compilers put behind external procedures. C++ names are left to addr2line -C.
 * @param file source file, null if not known: only then an underscore at the end may be part of the name
 */
export function demangleFortran(name: string, file: string | null): string {
  for (const pattern of MODULE_PROCEDURES) {
    const [, module, procedure] = pattern.exec(name) ?? [];
    if (module && procedure) return `${module}::${procedure}`;
  }
  if (file === null || !FORTRAN_FILE.test(file)) return name;
  if (name === "MAIN__") return "main program";
  return name.replace(/^_QP/, "").replace(/^(\w+[^_])_{1,2}$/, "$1");
}
