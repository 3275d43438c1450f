{-# LANGUAGE DerivingStrategies #-}

-- |
-- Module      : Ashlar.Compat.Store
-- Description : The class of Data.Store
--
-- The class of "Data.Store" (as of @store@ 0.7) for programs that derive their instances, or
-- write them with 'size', 'poke' and 'peek' of other types: the same names, and the same
-- bytes. Decoding does not trust its input: lengths are not believed, characters, texts and
-- keys are checked, and nested values are counted against a budget.
--
-- >>> import qualified Ashlar.Compat.Store as S
-- >>> import qualified Data.ByteString as B
-- >>> B.unpack (S.encode (Just (5 :: Word8), True))
-- [1,5,1]
-- >>> S.decodeEx (S.encode "text") :: String
-- "text"
--
-- 'encode' does not use 'size': a wrong one is a wrong number and nothing worse.
--
-- What @store@ has and this module has not: 'Poke' and 'Peek' as functions of memory
-- (@unsafeEncodeWith@, @pokeStorable@, "Data.Store.Internal"); "Data.Store.TH" and
-- "Data.Store.Version"; and instances for 'Integer', 'Numeric.Natural.Natural',
-- 'Data.Fixed.Fixed', @time@, @template-haskell@, @unordered-containers@ and vectors other
-- than boxed ones. New data is better written by "Ashlar.Codec", whose format does not
-- depend on the machine.
module Ashlar.Compat.Store
  ( -- * The class
    Store (..),
    Size (..),
    Poke,
    Peek,

    -- * Encode and decode
    encode,
    decode,
    decodeWith,
    decodeEx,
    decodeExWith,
    decodeIO,
    decodeIOWith,
    PeekException (..),
    peekException,

    -- * Sizes
    getSize,
    getSizeWith,
    contramapSize,
    combineSize,
    combineSizeWith,
    addSize,

    -- * Derivation
    GStoreSize (..),
    GStorePoke (..),
    GStorePeek (..),
  )
where

import Ashlar.Internal.Builder.Put (execPut)
import Ashlar.Internal.Builder.Strict (toStrictByteString)
import Ashlar.Internal.Compat.Store.Class
import Ashlar.Internal.Compat.Store.Instances.Base ()
import Ashlar.Internal.Compat.Store.Instances.Containers ()
import Ashlar.Internal.Get.Error (errorOffset, reasonText)
import Ashlar.Internal.Get.Refuse (invalid)
import Ashlar.Internal.Get.Run (runGetWhole)
import Control.Exception (Exception (..), throw, throwIO)
import Data.ByteString (ByteString)
import qualified Data.ByteString as S
import Data.Text (Text)
import qualified Data.Text as T

-- | Why decoding failed, and how many bytes were left there.
--
-- @since 0.1.0.0
data PeekException = PeekException
  { peekExBytesFromEnd :: Int,
    peekExMessage :: Text
  }
  deriving stock (Eq, Show)

instance Exception PeekException where
  displayException (PeekException n message) =
    "Exception while peeking, " ++ show n ++ " bytes from end: " ++ T.unpack message

-- | Fail with a message.
--
-- @since 0.1.0.0
peekException :: Text -> Peek a
peekException message = invalid (T.unpack message)

-- | The bytes of a value.
--
-- @since 0.1.0.0
encode :: Store a => a -> ByteString
encode x = toStrictByteString (execPut (poke x))
{-# INLINE encode #-}

-- | Decode a value, which must take all of the bytes.
--
-- @since 0.1.0.0
decode :: Store a => ByteString -> Either PeekException a
decode = decodeWith peek
{-# INLINE decode #-}

-- | 'decode' by this decoder.
--
-- @since 0.1.0.0
decodeWith :: Peek a -> ByteString -> Either PeekException a
decodeWith p bs = case runGetWhole p bs of
  Right x -> Right x
  Left e -> Left (PeekException (S.length bs - at) (T.pack (reasonText e)))
    where
      at = fromIntegral (errorOffset e)
{-# INLINE decodeWith #-}

-- | 'decode' that throws a 'PeekException'.
--
-- @since 0.1.0.0
decodeEx :: Store a => ByteString -> a
decodeEx = decodeExWith peek
{-# INLINE decodeEx #-}

-- | 'decodeEx' by this decoder.
--
-- @since 0.1.0.0
decodeExWith :: Peek a -> ByteString -> a
decodeExWith p bs = either throw id (decodeWith p bs)
{-# INLINE decodeExWith #-}

-- | 'decode' in 'IO', where it throws a 'PeekException'.
--
-- @since 0.1.0.0
decodeIO :: Store a => ByteString -> IO a
decodeIO = decodeIOWith peek
{-# INLINE decodeIO #-}

-- | 'decodeIO' by this decoder.
--
-- @since 0.1.0.0
decodeIOWith :: Peek a -> ByteString -> IO a
decodeIOWith p bs = either throwIO pure (decodeWith p bs)
{-# INLINE decodeIOWith #-}
