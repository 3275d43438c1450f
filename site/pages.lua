-- Writes the pages of the site, and the first part of its search index. scripts/site runs this as a filter
-- of an empty document, so that one pandoc does all pages, in the checkout's folder:
--
--   OUT=folder [SITE_SOURCE=address] pandoc --lua-filter site/pages.lua
--
-- A page has the path of its source: docs/format.md becomes docs/format.html, a README.md index.html. Links
-- between sources become links between pages. A linked module of a library becomes its Haddock page. Another
-- linked file becomes a page that shows it or, with SITE_SOURCE, a link to SITE_SOURCE and its path.

local out, source = os.getenv 'OUT', os.getenv 'SITE_SOURCE' or ''
local utils = pandoc.utils

local function slurp(path)
  local file = assert(io.open(path))
  return file:read 'a', file:close()
end

-- The type of each file and folder, as find has it, and the pages in the order in which they are found.
local kind, pages, is_page = {}, {}, {}

local function add_page(path)
  if not is_page[path] then pages[#pages + 1], is_page[path] = path, true end
end

for line in io.popen [[find * \( -name dist-newstyle -o -name node_modules \) -prune -o -printf '%y %p\n' | sort]]:lines() do
  local type, path = line:match '^(.) (.*)'
  kind[path] = type
  if type == 'f' and path:match '%.md$' and not path:match '^site/' then add_page(path) end
end

local function address(path)
  local stem = path:match '^(.*)%.md$'
  return stem and (stem:gsub('README$', 'index') .. '.html') or path .. '.html'
end

-- From a page to the top of the site.
local function root(page) return (page:gsub('[^/]+/', '../'):gsub('[^/]*$', '')) end

-- What a link of a file leads to, as an address in the site or elsewhere; nil if nothing is there.
local function destination(from, target)
  if target:match '^%a+:' then return target end
  local name, anchor = target:match '^([^#]*)(.*)'
  local path, changed = '/' .. from:gsub('[^/]*$', '') .. name
  repeat path, changed = path:gsub('/[^/]+/%.%./', '/', 1) until changed == 0
  path = path:gsub('^/', ''):gsub('/$', '')
  local package, module = path:match '^([^/]*)/src/(Ashlar.*)%.hs$'
  if name == '' then return anchor end
  if module then return 'haddock/' .. package .. '/' .. module:gsub('/', '-') .. '.html' end
  if path:match '^dist%-newstyle/' then return (path:gsub('^dist%-newstyle/', '')) end
  if kind[path .. '/README.md'] then path = path .. '/README.md' end
  if kind[path .. '/src/Ashlar'] then return 'haddock/' .. path .. '/index.html' end
  assert(kind[path], from .. ' links to ' .. target .. ', which does not exist')
  if not is_page[path] then
    if source ~= '' then return source .. path .. anchor end
    if kind[path] == 'd' then return nil end
    add_page(path)
  end
  return address(path) .. anchor
end

-- Links of a file, on a page. Those that lead nowhere become their text.
local function linked(from, page)
  return {Link = function(link)
    local to = destination(from, link.target)
    link.target = to and (to:match '^[%a#]+:?' and (to:match '^#' or to:match '^%a+:') and to or root(page) .. to)
    return to and link or link.content
  end}
end

local function anchor(id, what)
  return pandoc.RawInline('html', ('<a class="anchor" href="#%s" aria-label="Link to this %s">#</a>'):format(id, what))
end

-- What can be wider than the page scrolls, also with the keyboard.
local function scrolling(block) return pandoc.Div({block}, {class = 'scroll', tabindex = 0}) end

-- The rows of a specification's tables have names: the section and the first two cells.
local function name_rows(blocks)
  local section, used = '', {}
  for _, block in ipairs(blocks) do
    if block.t == 'Header' then section = block.identifier end
    for _, body in ipairs(block.t == 'Table' and block.bodies or {}) do
      for _, row in ipairs(body.body) do
        local cells = utils.stringify(row.cells[1].contents) .. ' ' .. utils.stringify(row.cells[2].contents)
        local name = section .. '.' .. cells:lower():gsub('[^%w-]+', '-'):gsub('^%-', ''):gsub('%-$', ''):sub(1, 60)
        used[name] = (used[name] or 0) + 1
        if used[name] > 1 then name = name .. '.' .. used[name] end
        row.attr = pandoc.Attr(name)
        row.cells[1].contents:insert(pandoc.Plain {anchor(name, 'row')})
      end
    end
  end
end

-- A line of the index for each section: address, page, heading, text.
local index = assert(io.open(out .. '/search-index.js', 'w'))
index:write 'searchIndex = [\n'

local function add_to_index(page, title, blocks)
  local entry = {address(page), title, title, {}}
  local function write()
    entry[4] = table.concat(entry[4], ' ')
    for i, text in ipairs(entry) do entry[i] = '"' .. text:gsub('%c', ' '):gsub('["\\]', '\\%0') .. '"' end
    index:write('[', table.concat(entry, ','), '],\n')
  end
  local function add(block) table.insert(entry[4], block.text or utils.stringify(block)) end
  for _, block in ipairs(blocks) do
    if block.t == 'Header' then
      write()
      entry = {address(page) .. '#' .. block.identifier, title, utils.stringify(block), {}}
    end
    pandoc.walk_block(pandoc.Div {block}, {Para = add, Plain = add, CodeBlock = add})
  end
  write()
end

-- README.md becomes the start page. Its first program, and the sections about writing and reading, stand in
-- tabs. The date and the machine of the figures come from the page of benchmarks.
local function start_page(blocks)
  local before, sections, current = pandoc.List {}, {}, nil
  local rest = pandoc.List {}
  for _, block in ipairs(blocks) do
    if block.t == 'Header' then
      current = (block.identifier == 'write' or block.identifier == 'read') and pandoc.List {} or rest
      sections[block.identifier] = current
    end
    if current == nil then before:insert(block)
    elseif current == rest or block.t ~= 'Header' then current:insert(block) end
    if block.t == 'Header' and block.identifier == 'speed' then
      local measured = pandoc.read(slurp 'docs/benchmarks.md', 'gfm').blocks:find_if(function(b)
        return b.t == 'Para' and utils.stringify(b):match 'All figures are of %d'
      end)
      assert(measured, 'docs/benchmarks.md does not say when it was measured')
      rest:insert(measured)
    end
  end
  assert(sections.write and sections.read and before[2].t == 'CodeBlock', 'README.md has no examples')
  local code = before:filter(function(b) return b.t == 'CodeBlock' end)
  local tabs = pandoc.List {pandoc.RawBlock('html', '<fieldset class="tabs"><legend>Examples</legend>')}
  for i, tab in ipairs {{'write', 'Builder', sections.write}, {'read', 'Get', sections.read}, {'codec', 'Codec', code}} do
    local input = '<input type="radio" name="tab" id="%s"%s><label for="%s">%s</label>'
    tabs:insert(pandoc.RawBlock('html', input:format(tab[1], i == 3 and ' checked' or '', tab[1], tab[2])))
    tabs:insert(pandoc.Div(tab[3]))
  end
  tabs:insert(pandoc.RawBlock('html', '</fieldset>'))
  return before:filter(function(b) return b.t == 'Para' end) .. tabs
    .. before:filter(function(b) return b.t == 'BulletList' end) .. rest
end

-- The blocks of a file, as they are read.
local function blocks_of(path)
  local text = slurp(path)
  if path:match '%.md$' then return pandoc.read(text, 'gfm').blocks end
  local title = pandoc.Header(1, pandoc.Code(path))
  if not path:match '%.%d$' then return pandoc.List {title, pandoc.CodeBlock(text, {class = path:match '%.(%w+)$'})} end
  local manual = pandoc.read(text, 'man'):walk {Header = function(h) h.level = h.level + 1 return h end}
  return pandoc.List {title} .. manual.blocks
end

local template, navigation = slurp 'site/template.html', pandoc.read(slurp 'site/navigation.md', 'gfm')

local function write_page(path)
  local blocks = blocks_of(path)
  local heading = blocks:remove(1)
  assert(heading.t == 'Header' and heading.level == 1, path .. ' does not begin with a title')
  blocks = blocks:filter(function(b) return b.t ~= 'RawBlock' or not b.text:match '^<!%-%-' end)
  local title = utils.stringify(heading)
  if path:match '%.md$' then add_to_index(path, title, blocks) end
  local contents = pandoc.List {}
  for _, block in ipairs(blocks) do
    if block.t == 'Header' and block.level == 2 then
      contents:insert {pandoc.Plain {pandoc.Link(utils.stringify(block), '#' .. block.identifier)}}
    end
  end
  if path:match 'format%.md$' or path:match 'evolution%.md$' then name_rows(blocks) end
  if path == 'README.md' then blocks = start_page(blocks) end
  local page = pandoc.Pandoc(blocks):walk(linked(path, path)):walk {
    Header = function(h) h.content:insert(anchor(h.identifier, 'section')) return h end,
    CodeBlock = scrolling,
    Table = function(t)
      if utils.stringify(t.head.rows[1].cells:map(function(c) return pandoc.Div(c.contents) end)) == '' then t.head.rows = {} end
      return scrolling(t)
    end
  }
  local at = address(path)
  local here = ('<a href="%s%s"'):format(root(path), at)
  local parts = {
    title = pandoc.write(pandoc.Pandoc {pandoc.Plain(heading.content)}, 'html5'),
    id = heading.identifier,
    name = path == 'README.md' and title or title:gsub('[&<]', {['&'] = '&amp;', ['<'] = '&lt;'}) .. ' – Ashlar',
    root = root(path),
    contents = #contents > 2 and path ~= 'README.md'
      and '<details><summary>On this page</summary>' .. pandoc.write(pandoc.Pandoc {pandoc.BulletList(contents)}, 'html5') .. '</details>' or '',
    navigation = pandoc.write(navigation:walk(linked('site/navigation.md', path)), 'html5')
      :gsub(here:gsub('%p', '%%%0'), here .. ' aria-current="page"'),
    body = pandoc.write(page, 'html5')
  }
  os.execute(("mkdir -p '%s/%s'"):format(out, at:gsub('[^/]*$', '')))
  local file = assert(io.open(out .. '/' .. at, 'w'))
  file:write((template:gsub('%$(%l+)%$', parts)))
  file:close()
end

function Pandoc()
  local i = 1
  while pages[i] do
    write_page(pages[i])
    i = i + 1
  end
  index:close()
  return pandoc.Pandoc {}
end
