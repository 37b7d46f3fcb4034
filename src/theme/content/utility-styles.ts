/** The styles of the utility classes that authors use on a page. */
export function utilityStyles(_classNames: Iterable<string>): string {
  return ''
}
