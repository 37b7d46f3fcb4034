import { h } from '../content/element.ts'
import { cssColor, flagProp, inlineProp, numberProp, outerProps, textProp } from '../content/props.ts'
import { isForeign } from '../content/render-html.ts'
import { iconOf, renderIcon } from '../icons/render-icon.ts'
import type { Component, ComponentContext } from '../theme-api.ts'

export const Card: Component = ({ props, children, page }) => {
  const color = cssColor(textProp(props, 'color'))
  const icon = iconOf(props, page, color)
  const title = inlineProp(props, page, 'title')
  const description = inlineProp(props, page, 'description')
  const image = textProp(props, 'img', 'image')
  const action = inlineProp(props, page, 'cta')
  const href = textProp(props, 'href', 'link', 'url')
  const resolved =
    href === undefined || href === '' || flagProp(props, 'disabled') ? undefined : page.resolveHref(href)
  const arrow = flagProp(props, 'arrow') ?? isForeign(resolved)
  const heading =
    title.length > 0 ? title : resolved === undefined ? [] : [{ type: 'text' as const, value: resolved }]
  return [
    h(
      'div',
      outerProps(
        props,
        'card',
        ...(flagProp(props, 'horizontal') ? ['card-horizontal'] : []),
        ...(resolved === undefined ? [] : ['card-linked']),
      ),
      image === undefined || image === ''
        ? null
        : h('img', { className: ['card-image'], src: page.resolveAsset(image), alt: '', noZoom: true }),
      arrow && resolved !== undefined
        ? h('span', { className: ['card-arrow'] }, renderIcon('lucide:arrow-up-right', page))
        : null,
      icon.length === 0 ? null : h('div', { className: ['card-icon'] }, icon),
      h(
        'div',
        { className: ['card-body'] },
        heading.length === 0 ? null : h('div', { className: ['card-title'] }, linked(resolved, heading)),
        description.length === 0 ? null : h('div', { className: ['card-text'] }, h('p', null, description)),
        children.length === 0 ? null : h('div', { className: ['card-text'] }, children),
        action.length === 0
          ? null
          : h('div', { className: ['card-action'] }, action, renderIcon('lucide:arrow-right', page)),
      ),
    ),
  ]
}

function linked(
  href: string | undefined,
  children: ReturnType<typeof inlineProp>,
): ReturnType<typeof inlineProp> {
  return href === undefined ? children : [h('a', { className: ['card-link'], href }, children)]
}

export const CardGroup: Component = ({ props, children }) => {
  const columns = Math.min(Math.max(Math.round(numberProp(props, 'cols', 'columns') ?? 2), 1), 6)
  return [h('div', { ...outerProps(props, 'columns'), style: `--q-columns:${columns}` }, children)]
}

export const Columns: Component = CardGroup

export const Column: Component = ({ props, children }) => [h('div', outerProps(props, 'column'), children)]

export const Tile: Component = ({ props, children, page }) => {
  const href = textProp(props, 'href')
  const title = inlineProp(props, page, 'title')
  const description = inlineProp(props, page, 'description')
  const resolved = href === undefined ? undefined : page.resolveHref(href)
  return [
    h(
      'div',
      outerProps(props, 'tile', ...(resolved === undefined ? [] : ['card-linked'])),
      h('div', { className: ['tile-picture'] }, children),
      title.length === 0 ? null : h('div', { className: ['card-title'] }, linked(resolved, title)),
      description.length === 0 ? null : h('div', { className: ['card-text'] }, h('p', null, description)),
    ),
  ]
}

export const GitHubRepo: Component = ({ props, page }) => {
  const repo = (textProp(props, 'repo', 'name') ?? '').replace(/^https?:\/\/github\.com\//, '')
  if (!/^[\w.-]+\/[\w.-]+/.test(repo))
    return missing(page, 'GitHub.Repo', 'repo', 'Write the repository as owner/name.')
  const [owner = '', name = ''] = repo.split('/')
  return [
    h(
      'div',
      outerProps(props, 'card', 'card-horizontal', 'card-linked'),
      h('div', { className: ['card-icon'] }, renderIcon('github', page, { type: 'brands' })),
      h(
        'div',
        { className: ['card-body'] },
        h(
          'div',
          { className: ['card-title'] },
          h(
            'a',
            { className: ['card-link'], href: `https://github.com/${owner}/${name}` },
            h('span', { className: ['muted'] }, `${owner}/`),
            name,
          ),
        ),
      ),
      h('span', { className: ['card-arrow'] }, renderIcon('lucide:arrow-up-right', page)),
    ),
  ]
}

export function missing(page: ComponentContext, component: string, prop: string, hint: string): [] {
  page.report({
    severity: 'warning',
    code: 'missing_prop',
    message: `<${component}> has no usable “${prop}”.`,
    hint,
  })
  return []
}
