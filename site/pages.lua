-- Writes the pages of the site, and the first part of its search index. scripts/site runs this in
-- the checkout's folder, as a filter of an empty document, so that one pandoc does all pages:
--
--   OUT=folder [SITE_SOURCE=address] pandoc --lua-filter site/pages.lua
--
-- A page has the path of its source: docs/format.md becomes docs/format.html, README.md index.html.
-- Links between sources become links between pages. A linked module of a library becomes its
-- Haddock page. Another linked file becomes a page that shows it or, with SITE_SOURCE, a link to
-- that address and the file's path.

local out, source = os.getenv 'OUT', os.getenv 'SITE_SOURCE' or ''
local stringify = pandoc.utils.stringify

local function slurp(path)
  local file = assert(io.open(path))
  return file:read 'a', file:close()
end

local function html(blocks) return pandoc.write(pandoc.Pandoc(blocks), 'html5') end

-- The type of each file and folder, as find has it, and the pages.
local kind, pages, is_page = {}, {}, {}

local function add_page(path)
  if not is_page[path] then pages[#pages + 1], is_page[path] = path, true end
end

local function is_text(path) return path:match '%.md$' or path:match '%.1$' end

local find = "find * -name dist-newstyle -prune -o -name node_modules -prune -o -printf '%y %p\n'"
for line in io.popen(find .. ' | sort'):lines() do
  local type, path = line:match '^(.) (.*)'
  kind[path] = type
  if type == 'f' and is_text(path) and not path:match '^site/' then add_page(path) end
end

-- The address of a page, from the top of the site.
local function address(path)
  return (path:gsub('README%.md$', 'index.md'):gsub('%.md$', '') .. '.html')
end

-- From a page to the top of the site.
local function root(page) return (page:gsub('[^/]*$', ''):gsub('[^/]+', '..')) end

-- The address of what a file links to; nil if the site does not have it.
local function destination(from, target)
  local name, anchor = target:match '^([^#]*)(.*)'
  local path, changed = '/' .. from:gsub('[^/]*$', '') .. name
  repeat path, changed = path:gsub('/[^/]+/%.%./', '/', 1) until changed == 0
  path = path:gsub('^/', ''):gsub('/$', '')
  if path:match '^dist%-newstyle/' then return (path:gsub('^dist%-newstyle/', '')) end
  local package, module = path:match '^([^/]*)/src/(Ashlar.*)%.hs$'
  if module then return 'haddock/' .. package .. '/' .. module:gsub('/', '-') .. '.html' end
  if kind[path .. '/README.md'] then path = path .. '/README.md' end
  if kind[path .. '/src/Ashlar'] then return 'haddock/' .. path .. '/index.html' end
  assert(kind[path], from .. ' links to ' .. target .. ', which does not exist')
  if not is_page[path] and source ~= '' then return source .. path .. anchor end
  if kind[path] == 'd' then return nil end
  add_page(path)
  return address(path) .. anchor
end

-- The links of a file, on a page. Those that lead nowhere become their text.
local function linked(from, page)
  return {Link = function(link)
    if link.target:match '^%a+:' or link.target:match '^#' then return link end
    local to = destination(from, link.target)
    if not to then return link.content end
    link.target = to:match '^%a+:' and to or root(page) .. to
    return link
  end}
end

local function anchor(id, what)
  local a = '<a class="anchor" href="#%s" aria-label="Link to this %s">#</a>'
  return pandoc.RawInline('html', a:format(id, what))
end

-- What can be wider than the page scrolls, also with the keyboard.
local function scrolling(block) return pandoc.Div({block}, {class = 'scroll', tabindex = 0}) end

-- The rows of a specification's tables have names: the section and the first two cells.
local function name_rows(blocks)
  local section, used = '', {}
  for _, block in ipairs(blocks) do
    if block.t == 'Header' then section = block.identifier end
    for _, row in ipairs(block.t == 'Table' and block.bodies[1].body or {}) do
      local first = row.cells[1].contents
      local text = stringify(first) .. ' ' .. stringify(row.cells[2].contents)
      local name = section .. '.' .. text:lower():gsub('[^%w-]+', '-'):gsub('^%-', ''):sub(1, 60)
      used[name] = (used[name] or 0) + 1
      if used[name] > 1 then name = name .. '.' .. used[name] end
      row.attr = pandoc.Attr(name)
      first:insert(pandoc.Plain {anchor(name, 'row')})
    end
  end
end

-- A line of the index for each section: address, page, heading, text.
local index = assert(io.open(out .. '/search-index.js', 'w'))
index:write 'searchIndex = [\n'

local function add_to_index(page, title, blocks)
  local row, texts = {address(page), title, title}, {}
  local function write()
    row[4] = table.concat(texts, ' ')
    for i, text in ipairs(row) do row[i] = text:gsub('%c', ' '):gsub('["\\]', '\\%0') end
    index:write('["', table.concat(row, '","'), '"],\n')
  end
  local function add(block) table.insert(texts, block.text or stringify(block)) end
  for _, block in ipairs(blocks) do
    if block.t == 'Header' then
      write()
      row, texts = {address(page) .. '#' .. block.identifier, title, stringify(block)}, {}
    end
    pandoc.walk_block(pandoc.Div {block}, {Para = add, Plain = add, CodeBlock = add})
  end
  write()
end

-- README.md becomes the start page. Its first program, and the sections about writing and reading,
-- stand in tabs. The date and the machine of the figures come from the page of benchmarks.
local function start_page(blocks)
  local parts = {first = pandoc.List {}, write = pandoc.List {}, read = pandoc.List {}}
  local rest = pandoc.List {}
  local current, earlier = parts.first, nil
  for _, block in ipairs(blocks) do
    if block.t == 'Header' then current = parts[block.identifier] or rest end
    if block.t ~= 'Header' or current == rest then current:insert(block) end
    if earlier == 'speed' then
      local measured = pandoc.read(slurp 'docs/benchmarks.md', 'gfm').blocks:find_if(function(b)
        return b.t == 'Para' and stringify(b):match 'All figures are of %d'
      end)
      rest:insert(measured or error 'docs/benchmarks.md does not say when it was measured')
    end
    earlier = block.identifier
  end
  local function first(type) return parts.first:filter(function(b) return b.t == type end) end
  local page = first 'Para'
  local function add(text, ...) page:insert(pandoc.RawBlock('html', text:format(...))) end
  local function tab(id, name, content, checked)
    assert(#content > 0, 'README.md has no example ' .. id)
    add('<input type="radio" name="tab" id="%s"%s>', id, checked)
    add('<label for="%s">%s</label>', id, name)
    page:insert(pandoc.Div(content))
  end
  add '<fieldset class="tabs"><legend>Examples</legend>'
  tab('codec', 'Codec', first 'CodeBlock', ' checked')
  tab('write', 'Builder', parts.write, '')
  tab('read', 'Get', parts.read, '')
  add '</fieldset>'
  return page .. first 'BulletList' .. rest
end

-- What a file contains, with a title.
local function blocks_of(path)
  local text = slurp(path)
  if path:match '%.md$' then return pandoc.read(text, 'gfm').blocks end
  local title = pandoc.Header(1, pandoc.Code(path), {id = 'file'})
  if not is_text(path) then
    return pandoc.List {title, pandoc.CodeBlock(text, {class = path:match '%.(%w+)$'})}
  end
  local function lower(header) header.level = header.level + 1 return header end
  return pandoc.List {title} .. pandoc.read(text, 'man'):walk({Header = lower}).blocks
end

local template = slurp 'site/template.html'
local navigation = pandoc.read(slurp 'site/navigation.md', 'gfm')

local function write_page(path)
  local blocks, at = blocks_of(path), address(path)
  local heading = blocks:remove(1)
  assert(heading.level == 1, path .. ' does not begin with a title')
  blocks = blocks:filter(function(b) return b.t ~= 'RawBlock' or not b.text:match '^<!%-%-' end)
  local title = stringify(heading)
  if is_text(path) then add_to_index(path, title, blocks) end
  local sections = blocks:filter(function(b) return b.t == 'Header' and b.level == 2 end)
  local contents = sections:map(function(h)
    return {pandoc.Plain {pandoc.Link(stringify(h), '#' .. h.identifier)}}
  end)
  if path:match 'format%.md$' or path:match 'evolution%.md$' then name_rows(blocks) end
  if path == 'README.md' then blocks, contents = start_page(blocks), {} end
  local page = pandoc.Pandoc(blocks):walk(linked(path, path)):walk {
    Header = function(h) h.content:insert(anchor(h.identifier, 'section')) return h end,
    CodeBlock = scrolling,
    Table = scrolling
  }
  local here = ('<a href="%s%s"'):format(root(path), at)
  local parts = {
    title = html {pandoc.Plain(heading.content)},
    id = heading.identifier,
    name = html {pandoc.Str(title == 'Ashlar' and title or title .. ' – Ashlar')},
    root = root(path),
    contents = #contents < 3 and '' or html {
      pandoc.RawBlock('html', '<details><summary>On this page</summary>'),
      pandoc.BulletList(contents), pandoc.RawBlock('html', '</details>')
    },
    navigation = html(navigation:walk(linked('site/navigation.md', path)).blocks)
      :gsub(here:gsub('%p', '%%%0'), here .. ' aria-current="page"'),
    -- The corner of a table is not a heading.
    body = html(page.blocks):gsub('<th></th>', '<td></td>')
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
