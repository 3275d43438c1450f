-- |
-- Module      : Html
-- Description : HTML and SVG as values
module Html
  ( Html,
    element,
    text,
    raw,
    render,
    escape,
  )
where

-- | A part of a page, which may be followed by others.
newtype Html = Html (String -> String)

instance Semigroup Html where
  Html f <> Html g = Html (f . g)

instance Monoid Html where
  mempty = Html id

-- | An element with its attributes and its content.
element :: String -> [(String, String)] -> [Html] -> Html
element name attributes content =
  raw ("<" ++ name)
    <> mconcat [raw (" " ++ a ++ "=\"") <> text value <> raw "\"" | (a, value) <- attributes]
    <> raw ">"
    <> mconcat content
    <> raw ("</" ++ name ++ ">")

-- | Text, which stands for itself.
text :: String -> Html
text = raw . escape

-- | Markup as it is.
raw :: String -> Html
raw s = Html (s ++)

-- | The markup.
render :: Html -> String
render (Html f) = f ""

-- | Text as it must stand in an element or between the quotation marks of an attribute.
escape :: String -> String
escape = concatMap $ \c -> case c of
  '&' -> "&amp;"
  '<' -> "&lt;"
  '>' -> "&gt;"
  '"' -> "&quot;"
  '\'' -> "&#39;"
  _ -> [c]
