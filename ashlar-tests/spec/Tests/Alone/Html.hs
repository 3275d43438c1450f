{-# LANGUAGE OverloadedStrings #-}

-- |
-- Module      : Tests.Alone.Html
-- Description : Nothing but Ashlar.Builder.Html
module Tests.Alone.Html (shown) where

import Ashlar.Builder.Html

shown :: String
shown = show ("<b>" <> charHtmlUtf8 '<' <> "</b>")
