{-# OPTIONS_GHC -ddump-simpl -ddump-to-file -dsuppress-all -dsuppress-uniques #-}

-- |
-- Module      : Puts
-- Description : Puts whose Core the tests inspect
module Puts
  ( fiveWrites,
    aroundUnknown,
    valuesBetween,
    inLoop,
    literalWithin,
    asMonoid,
    asBuilder,
    combined,
  )
where

import Ashlar.Builder (Builder, int16LE)
import Ashlar.Compat.Cereal.Put (putMaybeOf, putTwoOf)
import Ashlar.Put
import Data.Foldable (for_)
import Data.Word (Word32, Word64, Word8)

-- | Five writes of fixed size.
fiveWrites :: Word8 -> Word32 -> Word64 -> Put
fiveWrites x y z = do
  putWord8 x
  putWord32le y
  putWord64be z
  putDoublele 1.5
  putCharUtf8 'a'

-- | Two writes, an unknown put, and two writes.
aroundUnknown :: Word8 -> Word32 -> PutM Int -> PutM Int
aroundUnknown x y p = do
  putWord8 x
  putWord32le y
  n <- p
  putWord8 x
  putWord32be y
  pure (n + 1)

-- | Values that no write makes.
valuesBetween :: Word8 -> PutM Word8
valuesBetween x = do
  putWord8 x
  y <- pure (x + 1)
  putWord8 y
  () <- putWord8 x
  return y

-- | Two writes for each element.
inLoop :: [(Word8, Word64)] -> Put
inLoop xs = for_ xs $ \(x, y) -> do
  putWord8 x
  putWord64le y

-- | A literal between two writes.
literalWithin :: Word8 -> Put
literalWithin x = putWord8 x >> putStringUtf8 "literal" >> putWord8 x

-- | Appended puts, one of them a builder.
asMonoid :: Word8 -> Put
asMonoid x = putWord8 x <> putBuilder (int16LE 5) <> mempty <> putWord8 x

-- | The builder of a put.
asBuilder :: Word8 -> Builder -> Builder
asBuilder x b = execPut (putWord8 x >> putBuilder b >> putWord8 x >> putWord16 x)
  where
    putWord16 = putWord16le . fromIntegral

-- | With the combinators of @cereal@: two fields, then either one tag, or the other tag and its
-- field.
combined :: Word8 -> Word32 -> Maybe Word64 -> Put
combined x y z = putTwoOf putWord8 (putTwoOf putWord32be (putMaybeOf putWord64be)) (x, (y, z))
