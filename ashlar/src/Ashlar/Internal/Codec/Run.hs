-- |
-- Module      : Ashlar.Internal.Codec.Run
-- Description : Values to bytes and back
module Ashlar.Internal.Codec.Run
  ( encode,
    encodeLazy,
    hEncode,
    encodeFile,
    encodedSize,
    decode,
    decodeRest,
    decodeWith,
    decodeLazy,
    decodeLazyWith,
    hDecode,
    hDecodeWith,
    decodeFile,
    decodeFileWith,
    decodeFrom,
    decodeFromWith,
  )
where

import Ashlar.Internal.Builder.Lazy
import Ashlar.Internal.Builder.RunIO
import Ashlar.Internal.Builder.Strict
import Ashlar.Internal.Codec.Class
import Ashlar.Internal.Get.Budget
import Ashlar.Internal.Get.Error
import Ashlar.Internal.Get.Limits (asValue)
import Ashlar.Internal.Get.Run
import Ashlar.Internal.Get.Source
import Data.ByteString (ByteString)
import qualified Data.ByteString.Lazy as L
import System.IO (Handle)
import Prelude hiding (writeFile)

-- | A value in its binary format. It never fails, and takes time proportional to the number of
-- bytes.
--
-- @'decode' ('encode' x) == 'Right' x@, with two exceptions. 'decode' refuses values beyond
-- 'defaultBudget', such as a vector of @10^8@ units or a chain of more than 100,000 constructors.
-- 'decodeWith' reads these. It also refuses values that their own type calls invalid, such as a
-- @UTCTime@ whose time of the day is 25 hours.
--
-- >>> encode (1 :: Word16, 'a', [True, False])
-- "\SOH\NULa\NUL\NUL\NUL\STX\NUL\NUL\NUL\NUL\NUL\NUL\NUL\SOH\NUL"
encode :: Codec a => a -> ByteString
encode x = toStrictByteString (put x)
{-# INLINE encode #-}

-- | 'encode' into chunks, which are made as they are consumed. The length of a list or lazy string
-- comes first, so its whole spine is forced before its first element is written.
encodeLazy :: Codec a => a -> L.ByteString
encodeLazy x = toLazyByteString (put x)
{-# INLINE encodeLazy #-}

-- | 'encode' to a 'Handle', in constant memory besides the value. See 'hPutBuilder'.
hEncode :: Codec a => Handle -> a -> IO ()
hEncode h x = hPutBuilder h (put x)
{-# INLINE hEncode #-}

-- | 'encode' to a file, replacing its contents.
encodeFile :: Codec a => FilePath -> a -> IO ()
encodeFile path x = writeFile path (put x)
{-# INLINE encodeFile #-}

-- | The number of bytes of a value, without encoding it:
-- @'encodedSize' x == length ('encode' x)@. It takes constant time for types of constant
-- size, and for unboxed vectors of them. Otherwise it visits every value of variable size. In a
-- text it may visit every character.
--
-- >>> encodedSize [1, 2, 3 :: Int]
-- 32
encodedSize :: Codec a => a -> Int
encodedSize = size
{-# INLINE encodedSize #-}

-- | A value from its binary format. The input must end after it.
--
-- It ends on any input, in time and memory proportional to the input's length and to two limits.
-- Elements without bytes, like those of @[()]@, may be 1,048,576 in all, because eight bytes could
-- announce any number of them. Values may be nested 100,000 levels deep, because each level takes
-- stack: records and constructors with fields of variable size are levels, and so are containers
-- of elements of variable size. More is an 'OverBudget' error. 'decodeWith' sets other limits.
--
-- In two types, @'Data.Ratio.Ratio' 'Integer'@ and @UniversalTime@, fractions of numbers of more
-- than 4,096 bytes may have 1,048,576 bytes in all, because it takes more than linear time to check
-- that they are in lowest terms ('budgetSteps').
--
-- A value takes more memory than its bytes: a list of bytes 40 times as much, and no container
-- of small elements more than 128 times.
--
-- The result is a valid value, or an error with the offset and the path to the field. The error is
-- computed when it is forced, as with 'Ashlar.Get.runGet'.
--
-- >>> decode (encode (Just 'x')) :: Either DecodeError (Maybe Char)
-- Right (Just 'x')
-- >>> either (putStrLn . displayException) print (decode "\2" :: Either DecodeError (Maybe Char))
-- at byte 0, in Maybe: constructor tag 2, but Maybe has 2 constructors (tags 0 and 1)
--   00000000  02                                                |.|
--             ^^
decode :: Codec a => ByteString -> Either DecodeError a
decode = runGetWhole get
{-# INLINE decode #-}

-- | The value at the beginning of the input, and what follows it.
--
-- >>> import Data.ByteString (ByteString)
-- >>> decodeRest "\1\0\2" :: Either DecodeError (Word16, ByteString)
-- Right (1,"\STX")
decodeRest :: Codec a => ByteString -> Either DecodeError (a, ByteString)
decodeRest = runGetRest get
{-# INLINE decodeRest #-}

-- | 'decode' within another budget.
--
-- >>> let budget = defaultBudget {budgetSteps = 2}
-- >>> decodeWith budget (encode [(), ()]) :: Either DecodeError [()]
-- Right [(),()]
-- >>> let units = decodeWith budget (encode [(), (), ()]) :: Either DecodeError [()]
-- >>> either (print . errorReason) print units
-- OverBudget "more than 2 elements of no bytes; withBudget raises the limit"
decodeWith :: Codec a => Budget -> ByteString -> Either DecodeError a
decodeWith budget = runGetWhole (withBudget budget get)
{-# INLINE decodeWith #-}

-- | 'decode' from a lazy 'L.ByteString', whose chunks are dropped as they are
-- decoded. The value may take 64 MiB. More is an 'OverBudget' error, and 'decodeLazyWith' sets
-- another limit ('budgetBytes').
--
-- Do not interrupt it under GHC's non-moving collector, nor under the compacting one of GHC 9.0:
-- see the known gaps in @docs/safety.md@.
decodeLazy :: Codec a => L.ByteString -> Either DecodeError a
decodeLazy = runGetLazyWhole (asValue get)
{-# INLINE decodeLazy #-}

-- | 'decodeLazy' within another budget.
decodeLazyWith :: Codec a => Budget -> L.ByteString -> Either DecodeError a
decodeLazyWith budget = runGetLazyWhole (asValue (withBudget budget get))
{-# INLINE decodeLazyWith #-}

-- | 'decode' from a 'Handle', reading it to its end. The value may take 64 MiB, as with
-- 'decodeLazy': 'hDecodeWith' sets another limit.
hDecode :: Codec a => Handle -> IO (Either DecodeError a)
hDecode h = hRunGetWhole h (asValue get)
{-# INLINE hDecode #-}

-- | 'hDecode' within another budget.
hDecodeWith :: Codec a => Budget -> Handle -> IO (Either DecodeError a)
hDecodeWith budget h = hRunGetWhole h (asValue (withBudget budget get))
{-# INLINE hDecodeWith #-}

-- | 'decode' a file. It throws an 'Control.Exception.IOException' if it cannot read the file. The
-- value may take 64 MiB, as with 'decodeLazy': 'decodeFileWith' sets another limit.
decodeFile :: Codec a => FilePath -> IO (Either DecodeError a)
decodeFile path = runGetFileWhole path (asValue get)
{-# INLINE decodeFile #-}

-- | 'decodeFile' within another budget.
decodeFileWith :: Codec a => Budget -> FilePath -> IO (Either DecodeError a)
decodeFileWith budget path = runGetFileWhole path (asValue (withBudget budget get))
{-# INLINE decodeFileWith #-}

-- | The next of several values from a 'Source'. At the end of the source it fails with
-- 'MissingInput'. 'Ashlar.Get.foldFrom' reads all values. A value may take 64 MiB:
-- 'decodeFromWith' sets another limit.
--
-- >>> import Data.ByteString (ByteString)
-- >>> import Data.IORef (atomicModifyIORef', newIORef)
-- >>> chunks <- newIORef ["\1\0\2", "\0" :: ByteString]
-- >>> source <- newSource (atomicModifyIORef' chunks (\l -> (drop 1 l, mconcat (take 1 l))))
-- >>> decodeFrom source :: IO (Either DecodeError Word16)
-- Right 1
-- >>> decodeFrom source :: IO (Either DecodeError Word16)
-- Right 2
decodeFrom :: Codec a => Source -> IO (Either DecodeError a)
decodeFrom source = getFrom source (asValue get)
{-# INLINE decodeFrom #-}

-- | 'decodeFrom' within another budget.
decodeFromWith :: Codec a => Budget -> Source -> IO (Either DecodeError a)
decodeFromWith budget source = getFrom source (asValue (withBudget budget get))
{-# INLINE decodeFromWith #-}
