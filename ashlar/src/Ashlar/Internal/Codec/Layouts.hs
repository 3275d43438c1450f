{-# LANGUAGE AllowAmbiguousTypes #-}
{-# LANGUAGE ScopedTypeVariables #-}
{-# LANGUAGE TypeApplications #-}

-- |
-- Module      : Ashlar.Internal.Codec.Layouts
-- Description : The outlines of instances, and the layouts of containers
module Ashlar.Internal.Codec.Layouts
  ( -- * Outlines
    outlineOf,
    fieldThen,
    skipValue,

    -- * Layouts
    counting,
    countingPairs,
    elementsAfter,
    bytesAfter,
  )
where

import Ashlar.Internal.Codec.Class
import Ashlar.Internal.Codec.Fixed
import Ashlar.Internal.Codec.Length (lengthSize)
import Ashlar.Internal.Codec.Outline
import Ashlar.Internal.Get.Core (Get)
import Data.Maybe (fromMaybe)

-- The functions below take an instance, not its layout: GHC would unfold the layout of each field
-- where it is passed on, and compile it there. (@scripts/compile-times --check@.)

-- | The layout of a container: a length of eight bytes, and the elements.
counting :: forall a c. Codec a => Layout c
counting = varying lengthSize (elementsAfter @a Length)
{-# INLINE counting #-}

-- | The same for pairs.
countingPairs :: forall a b c. (Codec a, Codec b) => Layout c
countingPairs = varying lengthSize (pairsAfter @a @b)
{-# INLINE countingPairs #-}

pairsAfter :: forall a b. (Codec a, Codec b) => Outline
pairsAfter = case layout @a of
  Fix f | Fix g <- layout @b -> Units 0 Length (plusSize (fixedSize f) (fixedSize g)) (Bytes 0)
  _ -> Values 0 Length (fieldThen @a (fieldThen @b (Bytes 0))) (Bytes 0)
{-# NOINLINE pairsAfter #-}

-- | A count, and elements. The outline of elements of variable size is not forced, because they may
-- contain the container.
elementsAfter :: forall a. Codec a => Count -> Outline
elementsAfter k = case layout @a of
  Fix f -> Units 0 k (fixedSize f) (Bytes 0)
  Var _ -> Values 0 k (outlineOf @a) (Bytes 0)
{-# NOINLINE elementsAfter #-}

-- | The layout of a count, of this size at least, and units of a number of bytes.
bytesAfter :: Int -> Count -> Int -> Layout a
bytesAfter least k unit = varying least (Units 0 k unit (Bytes 0))
{-# INLINE bytesAfter #-}

-- | How the bytes of a value are arranged.
outlineOf :: forall a. Codec a => Outline
outlineOf = case layout @a of
  Fix f -> Bytes (fixedSize f)
  l -> fromMaybe (Decoded 0 (() <$ get @a) (Bytes 0)) (layoutOutline l)
{-# NOINLINE outlineOf #-}

-- | The outline of a field, before that of those after it. It does not force a derived outline,
-- which may contain itself.
fieldThen :: forall a. Codec a => Outline -> Outline
fieldThen rest = case layout @a of
  l@(Var _) | isDerived l -> Part 0 (outlineOf @a) rest
  _ -> outlineOf @a `followedBy` rest
{-# NOINLINE fieldThen #-}

-- | Pass over a value without making it. Where 'get' fails because bytes are missing, or at a
-- length or a tag before fields, this fails, too. It does not look at contents: it accepts text
-- that is no UTF-8, keys that do not ascend, an empty 'Data.List.NonEmpty.NonEmpty', constructors
-- that an enumeration does not have, and values that 'Ashlar.Codec.satisfying' refuses.
--
-- >>> :set -XTypeApplications
-- >>> let bytes = encode ("passed over" :: Text, 'x')
-- >>> runGet (skipValue @Text *> getWord32le) bytes
-- Right 120
skipValue :: forall a. Codec a => Get ()
skipValue = skipOutline (outlineOf @a)
