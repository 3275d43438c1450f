{-# LANGUAGE Trustworthy #-}

-- |
-- Module      : Ashlar.Builder.Padded
-- Description : Builders for values that are padded to a width
--
-- A value shorter than its width gets padding before it. A longer one is written in full. Any width
-- is allowed: a negative one is like 0, and the padding of a large one is written in batches.
--
-- >>> :set -XOverloadedStrings
-- >>> import Ashlar.Builder
-- >>> import Ashlar.Builder.Padded
-- >>> let date y m d = wordDecPadded 4 y <> "-" <> wordDecPadded 2 m <> "-" <> wordDecPadded 2 d
-- >>> toStrictByteString (date 1970 1 1)
-- "1970-01-01"
module Ashlar.Builder.Padded
  ( -- * Numbers with zeros in front
    wordDecPadded,
    word64DecPadded,
    intDecPadded,
    int64DecPadded,

    -- * Any primitive
    paddedBoundedPrim,
    zeroPaddedBoundedPrim,

    -- * Padding alone
    replicateWord8,
  )
where

import Ashlar.Internal.Builder.Hex
  ( int64DecPadded,
    intDecPadded,
    paddedBoundedPrim,
    replicateWord8,
    word64DecPadded,
    wordDecPadded,
    zeroPaddedBoundedPrim,
  )
import Ashlar.Internal.Builder.Loops ()
