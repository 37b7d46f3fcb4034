/** A page of one sentence, for when there is no bundle to show. */
export function plainPage(page: { title: string; text: string }): string {
  return `<!doctype html>
<html lang="en">
<head>
<meta charset="utf-8">
<meta name="viewport" content="width=device-width, initial-scale=1">
<meta name="robots" content="noindex">
<title>${escapeHtml(page.title)}</title>
<style>
:root { color-scheme: light dark }
body { font: 16px/1.6 system-ui, sans-serif; margin: 20vh auto 0; max-width: 34rem; padding: 0 1.5rem }
h1 { font-size: 1.5rem; letter-spacing: -.01em }
p { opacity: .75 }
</style>
</head>
<body>
<h1>${escapeHtml(page.title)}</h1>
<p>${escapeHtml(page.text)}</p>
</body>
</html>
`
}

function escapeHtml(text: string): string {
  return text.replace(/[&<>"']/g, (character) => `&#${character.charCodeAt(0)};`)
}
