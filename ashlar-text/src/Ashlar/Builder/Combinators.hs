{-# LANGUAGE Trustworthy #-}

-- |
-- Module      : Ashlar.Builder.Combinators
-- Description : Builders joined like words and lines
--
-- The list functions that users of strings expect, for builders. Import it qualified: the names are
-- those of the Prelude and of @Mason.Builder@.
--
-- >>> :set -XOverloadedStrings
-- >>> import qualified Ashlar.Builder.Combinators as Builder
-- >>> let request = Builder.unwords ["GET", "/", "HTTP/1.1"]
-- >>> Builder.unlines [request, Builder.intersperse ": " ["Host", "example.org"]]
-- "GET / HTTP/1.1\nHost: example.org\n"
--
-- Each is one loop over the list. The list is forced as the output gets there, and may be infinite.
module Ashlar.Builder.Combinators
  ( intersperse,
    unwords,
    unlines,
    viaShow,
  )
where

import Ashlar.Internal.Builder.Core
import Ashlar.Internal.Builder.Loops ()
import Ashlar.Internal.Builder.Numbers (word8)
import Ashlar.Internal.Builder.Strings (stringUtf8)
import Prelude hiding (unlines, unwords)

-- | Builders one after the other, with the first argument between any two.
-- On strings, this is called 'Data.List.intercalate'.
intersperse :: Builder -> [Builder] -> Builder
intersperse separator builders = action $ \c k ->
  let go (b : bs) = runOn separator c k >> runOn b c k >> go bs
      go [] = pure ()
   in case builders of
        b : bs -> runOn b c k >> go bs
        [] -> pure ()

-- | Builders one after the other, with a space between any two.
unwords :: [Builder] -> Builder
unwords = intersperse (word8 0x20)

-- | Builders one after the other, with a newline after each.
unlines :: [Builder] -> Builder
unlines builders = action $ \c k ->
  let go (b : bs) = runOn b c k >> runOn (word8 0x0A) c k >> go bs
      go [] = pure ()
   in go builders

-- | What 'show' makes of a value, in UTF-8.
--
-- >>> viaShow (Just 'x')
-- "Just 'x'"
viaShow :: Show a => a -> Builder
viaShow = stringUtf8 . show
