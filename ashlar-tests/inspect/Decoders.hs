{-# LANGUAGE OverloadedStrings #-}
{-# OPTIONS_GHC -ddump-simpl -ddump-to-file -dsuppress-all -dsuppress-uniques #-}

-- |
-- Module      : Decoders
-- Description : Decoders whose Core the tests inspect
--
-- See Note [Rules for decoders] in "Ashlar.Internal.Get.Core".
module Decoders
  ( Record (..),
    record,
    recordOf,
    ofNumbers,
    recordsAdded,
    numberLeftOut,
    afterUnknown,
    ofThreeBytes,
    inSomeOrder,
    keywords,
  )
where

import qualified Ashlar.ByteOrder as O
import Ashlar.Get
import qualified Ashlar.Get.Parse as P
import Data.Int (Int32)
import Data.Word (Word16, Word64, Word8)

-- | Four numbers.
data Record = Record !Word8 !Word16 !Int32 !Word64

-- | All four side by side.
record :: Get Record
record = Record <$> getWord8 <*> getWord16le <*> getInt32be <*> getWord64host

-- | The same, with any decoders.
recordOf :: Applicative f => f Word8 -> f Word16 -> f Int32 -> f Word64 -> f Record
recordOf a b c d = Record <$> a <*> b <*> c <*> d
{-# INLINE recordOf #-}

-- | With these decoders of numbers.
ofNumbers :: Get Record
ofNumbers = recordOf getWord8 getWord16be getInt32le getWord64le

-- | In a loop.
recordsAdded :: Int -> Word64 -> Get Word64
recordsAdded n acc
  | n == 0 = pure acc
  | otherwise =
    recordOf getWord8 getWord16be getInt32le getWord64le >>= \(Record _ _ _ d) ->
      recordsAdded (n - 1) $! acc + d

-- | Numbers whose values are ignored.
numberLeftOut :: Get Word16
numberLeftOut = getWord8 *> getWord16le <* getInt32be

-- | After an unknown decoder.
afterUnknown :: Get (Word8 -> Word16) -> Get Word16
afterUnknown f = f <*> getWord8

-- | Numbers of three bytes.
ofThreeBytes :: Get Record
ofThreeBytes = recordOf getWord8 (fromIntegral <$> getWord24be) getInt24le getWord64le

-- | Numbers whose byte order is unknown.
inSomeOrder :: O.ByteOrder -> Get Record
inSomeOrder order = recordOf getWord8 (O.getWord16 order) (O.getInt24 order) (O.getWord64 order)

-- | Literals.
keywords :: Get Bool
keywords = P.bytes "supercalifragilist" *> P.optionBytes "expialidocious"
