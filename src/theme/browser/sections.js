/** Large sections: what a page leaves out of its sidebar comes, when asked for, from a file that the section shares. */
;(() => {
  const navigation = document.querySelector('.navigation[data-section]')
  if (!navigation) return
  let loading
  const load = () => {
    loading ||= quire
      .loadScript(`${quire.root}_quire/sections.js`)
      .then(() => quire.loadScript(quire.root + window.quireSectionFiles[navigation.dataset.section]))
      .catch((error) => {
        loading = undefined
        throw error
      })
    return loading
  }
  const drawn = async (place, depth) => {
    await load()
    const items = document.createElement('ul')
    items.innerHTML = window.quireSection({
      place,
      depth,
      root: quire.root,
      page: document.body.dataset.page,
    })
    items.className = `nav-list nav-depth-${Math.min(depth, 3)}`
    return prepare(items)
  }
  const prepare = (list) => {
    for (const link of list.querySelectorAll('[data-place]')) {
      link.setAttribute('role', 'button')
      if (!link.dataset.place.includes(':')) link.setAttribute('aria-expanded', 'false')
    }
    return list
  }
  const depthOf = (element) => {
    let depth = 0
    for (let list = element.closest('.nav-list'); list; list = list.parentElement.closest('.nav-list'))
      depth += 1
    return depth - 1
  }
  const toggle = async (link) => {
    const item = link.parentElement
    const open = link.getAttribute('aria-expanded') !== 'true'
    if (open && item.children.length === 1) item.append(await drawn(link.dataset.place, depthOf(item) + 1))
    link.setAttribute('aria-expanded', String(open))
    item.lastElementChild.hidden = !open
  }
  /** The rest of a long list takes its place in it, and the reader goes on where it begins. */
  const reveal = async (link) => {
    const item = link.parentElement
    const isBefore = /:0-/.test(link.dataset.place)
    const items = [...(await drawn(link.dataset.place, depthOf(item))).children]
    const scroller = navigation.closest('.sidebar-scroll')
    const below = scroller.scrollHeight - scroller.scrollTop
    item.replaceWith(...items)
    if (isBefore) scroller.scrollTop = scroller.scrollHeight - below // What the reader sees stays where it is.
    items
      .at(isBefore ? -1 : 0)
      .querySelector('a')
      .focus({ preventScroll: true })
  }
  const open = async (link) => {
    link.setAttribute('aria-busy', 'true')
    try {
      await (link.dataset.place.includes(':') ? reveal(link) : toggle(link))
    } catch {
      location.href = link.href
    }
    link.removeAttribute('aria-busy')
  }
  const linkOf = (event) => event.target instanceof Element && event.target.closest('[data-place]')
  navigation.addEventListener('click', (event) => {
    const link = linkOf(event)
    if (!link || event.ctrlKey || event.metaKey || event.shiftKey) return
    event.preventDefault()
    open(link)
  })
  navigation.addEventListener('keydown', (event) => {
    const link = event.key === ' ' && linkOf(event)
    if (!link) return
    event.preventDefault()
    open(link)
  })
  for (const type of ['pointerover', 'focusin'])
    navigation.addEventListener(type, (event) => {
      if (linkOf(event)) load().catch(() => {})
    })
  prepare(navigation)
})()
