/** Elements that an author's HTML may use. What is not here is an unknown component: its children are shown. */
const htmlElements = new Set(
  (
    'a abbr address article aside audio b bdi bdo big blockquote br button canvas caption center cite code col colgroup ' +
    'data dd del details dfn dialog div dl dt em fieldset figcaption figure font footer form h1 h2 h3 h4 h5 h6 header ' +
    'hgroup hr i iframe img input ins kbd label legend li main map area mark menu meter nav ol optgroup option output p ' +
    'picture pre progress q rp rt ruby s samp search section select slot small source span strike strong style sub ' +
    'summary sup table tbody td textarea tfoot th thead time tr track tt u ul var video wbr'
  ).split(' '),
)

/** SVG that only draws: nothing that runs, animates an address or brings foreign content. */
const svgElements = new Set(
  (
    'svg g path circle ellipse rect line polyline polygon text tspan textPath defs linearGradient radialGradient stop ' +
    'clipPath mask pattern use symbol title desc marker filter feBlend feColorMatrix feComponentTransfer feComposite ' +
    'feConvolveMatrix feDiffuseLighting feDisplacementMap feDistantLight feDropShadow feFlood feFuncA feFuncB feFuncG ' +
    'feFuncR feGaussianBlur feMerge feMergeNode feMorphology feOffset fePointLight feSpecularLighting feSpotLight feTile ' +
    'feTurbulence image switch view'
  ).split(' '),
)

/** Elements that are dropped with everything in them. */
const activeElements = new Set(
  'script noscript object embed applet base meta link frame frameset template foreignobject animate animatemotion animatetransform set discard handler listener portal'.split(
    ' ',
  ),
)

const svgByLowerCase = new Map([...svgElements].map((name) => [name.toLowerCase(), name]))

export function isHtmlElement(name: string): boolean {
  return htmlElements.has(name) || svgElements.has(name)
}

/** The name as it stands in the page, or nothing where the element is unknown. */
export function knownElement(name: string): string | undefined {
  const lower = name.toLowerCase()
  if (htmlElements.has(lower)) return lower
  return svgByLowerCase.get(lower)
}

export function isActiveElement(name: string): boolean {
  return activeElements.has(name.toLowerCase())
}

export const voidElements = new Set('area br col hr img input source track wbr'.split(' '))
