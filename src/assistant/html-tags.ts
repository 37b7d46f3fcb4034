/** What a renderer would take for HTML; components and placeholders are named otherwise. */
export const htmlTags = new Set(
  `a abbr address area article aside audio b base bdi bdo blockquote body br button canvas caption center cite code col
  colgroup data datalist dd del details dfn dialog div dl dt em embed fieldset figcaption figure font footer form frame
  frameset h1 h2 h3 h4 h5 h6 head header hr html i iframe img input ins kbd label legend li link main map mark marquee
  math menu meta meter nav noscript object ol optgroup option output p param picture portal pre progress q rp rt ruby s
  samp script search section select slot small source span strike strong style sub summary sup svg table tbody td
  template textarea tfoot th thead time title tr track tt u ul var video wbr`.split(/\s+/),
)
