{-# LANGUAGE DerivingStrategies #-}
{-# LANGUAGE Trustworthy #-}

-- |
-- Module      : Ashlar.Compat.Store
-- Description : The class of Data.Store
--
-- The class of "Data.Store" (as of @store@ 0.7) for programs that derive their instances, or
-- write them with 'size', 'poke' and 'peek' of other types: the same names, and the same
-- bytes. Decoding does not trust its input: lengths, characters, texts and keys are checked, and
-- nested values are counted against a budget.
--
-- >>> import qualified Ashlar.Compat.Store as S
-- >>> import qualified Data.ByteString as B
-- >>> B.unpack (S.encode (Just (5 :: Word8), True))
-- [1,5,1]
-- >>> S.decodeEx (S.encode "text") :: String
-- "text"
--
-- 'encode' does not use 'size', so a wrong 'size' does not corrupt memory.
--
-- Missing here: 'Poke' and 'Peek' as functions on raw memory (@unsafeEncodeWith@, @pokeStorable@,
-- "Data.Store.Internal"); "Data.Store.TH", "Data.Store.TypeHash" and "Data.Store.Version"; and the
-- instances that @docs/porting.md@ lists. ByteStrings are copies, as there. New data is better
-- written by "Ashlar.Codec", whose format does not depend on the machine.
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
    decodeExPortionWith,
    decodeIO,
    decodeIOWith,
    decodeIOPortionWith,
    Offset,
    PeekException (..),
    peekException,

    -- * Sizes
    getSize,
    getSizeWith,
    contramapSize,
    combineSize,
    combineSizeWith,
    addSize,

    -- * Strings of known length
    StaticSize (..),
    IsStaticSize (..),
    toStaticSizeEx,

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
import Ashlar.Internal.Compat.Store.Instances.Foreign
import Ashlar.Internal.Compat.Store.Instances.Posix ()
import Ashlar.Internal.Get.Error (DecodeError, errorOffset, reasonText)
import Ashlar.Internal.Get.Fail (invalid)
import Ashlar.Internal.Get.Run (runGetRest, runGetWhole)
import Control.Exception (Exception (..), throw, throwIO)
import Data.ByteString (ByteString)
import qualified Data.ByteString as S
import Data.Text (Text)
import qualified Data.Text as T

-- | Why decoding failed, and how many bytes were left there.
data PeekException = PeekException
  { peekExBytesFromEnd :: Int,
    peekExMessage :: Text
  }
  deriving stock (Eq, Show)

instance Exception PeekException where
  displayException (PeekException n message) =
    "Exception while peeking, " ++ show n ++ " bytes from end: " ++ T.unpack message

-- | A number of bytes.
type Offset = Int

-- | Fail with a message.
peekException :: Text -> Peek a
peekException message = invalid (T.unpack message)

-- | The bytes of a value.
encode :: Store a => a -> ByteString
encode x = toStrictByteString (execPut (poke x))
{-# INLINE encode #-}

-- | Decode a value, which must take all of the bytes.
--
-- A decoder that fails runs a second time, for the message. So the exception does not refer to the
-- input. If decoders run others on a part of their input, and these fail, n levels of such parts
-- take time in proportion to the square of n.
decode :: Store a => ByteString -> Either PeekException a
decode = decodeWith peek
{-# INLINE decode #-}

-- | 'decode' with the given decoder.
decodeWith :: Peek a -> ByteString -> Either PeekException a
decodeWith p bs = either (failed bs) Right (runGetWhole p bs)
{-# INLINE decodeWith #-}

-- As in store, the exception is complete when a run returns, so it does not refer to the input,
-- whose memory may then be overwritten or freed.
failed :: ByteString -> DecodeError -> Either PeekException a
failed bs e = message `seq` left `seq` Left (PeekException left message)
  where
    left = S.length bs - fromIntegral (errorOffset e)
    message = T.pack (reasonText e)

-- | 'decode' that throws a 'PeekException'.
decodeEx :: Store a => ByteString -> a
decodeEx = decodeExWith peek
{-# INLINE decodeEx #-}

-- | 'decodeEx' with the given decoder.
decodeExWith :: Peek a -> ByteString -> a
decodeExWith p bs = either throw id (decodeWith p bs)
{-# INLINE decodeExWith #-}

-- | 'decode' in 'IO', where it throws a 'PeekException'.
decodeIO :: Store a => ByteString -> IO a
decodeIO = decodeIOWith peek
{-# INLINE decodeIO #-}

-- | 'decodeIO' with the given decoder.
decodeIOWith :: Peek a -> ByteString -> IO a
decodeIOWith p bs = either throwIO pure (decodeWith p bs)
{-# INLINE decodeIOWith #-}

-- | 'decodeExWith' that ignores what follows the value, and also returns the number of bytes that
-- the value takes.
--
-- >>> import qualified Ashlar.Compat.Store as S
-- >>> S.decodeExPortionWith (S.peek :: S.Peek Word8) "\7\8"
-- (1,7)
decodeExPortionWith :: Peek a -> ByteString -> (Offset, a)
decodeExPortionWith p bs = either throw id (portion p bs)

-- | 'decodeExPortionWith' in 'IO', where it throws a 'PeekException'.
decodeIOPortionWith :: Peek a -> ByteString -> IO (Offset, a)
decodeIOPortionWith p bs = either throwIO pure (portion p bs)

portion :: Peek a -> ByteString -> Either PeekException (Offset, a)
portion p bs = case runGetRest p bs of
  Right (x, rest) -> Right (S.length bs - S.length rest, x)
  Left e -> failed bs e
