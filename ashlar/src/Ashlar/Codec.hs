{-# LANGUAGE Trustworthy #-}

-- |
-- Module      : Ashlar.Codec
-- Description : One class for exact size, encoding and decoding
--
-- Values to bytes and back, by one class that is derived:
--
-- >>> :set -XDeriveGeneric -XDeriveAnyClass
-- >>> data Order = Order { item :: Text, count :: Int } deriving (Show, Generic, Codec)
-- >>> encodedSize (Order "brick" 12)
-- 21
-- >>> decode (encode (Order "brick" 12)) :: Either DecodeError Order
-- Right (Order {item = "brick", count = 12})
--
-- Decoding is safe on untrusted input. It allocates memory for a container only as the bytes of its
-- elements arrive, and it checks every value: UTF-8, tags of constructors, order of keys.
--
-- The least significant byte comes first. 'Int', 'Word' and lengths take eight bytes.
-- @docs/format.md@ describes all formats. They do not change within a major version of this
-- library. A @String@ is a list of characters of four bytes each: prefer @Text@, which is UTF-8.
--
-- A 'Data.ByteString.ByteString' that is decoded is a slice of its input, and keeps the input's
-- memory alive. For what outlives a large input, such as a key in a map, use a
-- 'Ashlar.Codec.Wrappers.Copied' ByteString, or a @ShortByteString@, or @Text@: these are copies.
--
-- A derived format changes with its type. Put a version number before data that you keep: see
-- 'Ashlar.Codec.Combinators.constant'.
--
-- 'get' and 'put' are a decoder and a builder like any other. @runGetOrFail get@ of "Ashlar.Get"
-- decodes a value at the beginning of a lazy ByteString. @foldFrom source get@ decodes all values
-- of a 'Source'.
--
-- The class has no methods to override, so a type has the same format wherever it occurs. The
-- one thing that an instance may choose is its 'format':
--
-- >>> newtype Flag = Flag Bool
-- >>> instance Codec Flag where get = fail "never"
-- ...
-- ...get... is not a (visible) method of class ...Codec...
-- ...
--
-- * 'HasFormat': instances that refine the derived format, or replace it
-- * "Ashlar.Codec.Combinators": formats by hand, once for both directions
-- * "Ashlar.Codec.Wrappers": newtypes that choose another format
-- * "Ashlar.Codec.Packed": another format for a whole type, of few bytes
-- * "Ashlar.Codec.Laws", in the package ashlar-laws: tests for instances of your own
module Ashlar.Codec
  ( -- * The class
    Codec,
    put,
    get,
    size,
    skipValue,
    layout,
    Layout,
    leastSize,

    -- * Instances with a format of their own
    HasFormat (format),
    Format,
    derivedFormat,
    GCodec,
    codec,
    satisfying,
    refined,
    byHand,
    fromPutGet,

    -- * Encoding
    encode,
    encodeLazy,
    hEncode,
    encodeFile,
    encodedSize,
    Builder,

    -- * Decoding
    decode,
    decodeRest,
    decodeLazy,
    hDecode,
    decodeFile,
    decodeFileWith,
    Get,
    DecodeError (..),
    Reason (..),
    Excerpt (..),
    summarizeError,

    -- ** Many values
    decodeFrom,
    Source,
    newSource,
    handleSource,

    -- ** Within a budget
    decodeWith,
    decodeLazyWith,
    hDecodeWith,
    decodeFromWith,
    Budget (..),
    defaultBudget,
  )
where

import Ashlar.Internal.Builder.Core (Builder)
import Ashlar.Internal.Builder.Lazy
import Ashlar.Internal.Builder.Loops ()
import Ashlar.Internal.Builder.RunIO
import Ashlar.Internal.Builder.Strict
import Ashlar.Internal.Codec.Class
  ( Codec,
    Format,
    HasFormat (format),
    Layout,
    codec,
    leastSize,
  )
import qualified Ashlar.Internal.Codec.Class as Class
import Ashlar.Internal.Codec.Derive (GCodec, derivedFormat)
import Ashlar.Internal.Codec.Format (byHand, fromPutGet, refined, satisfying)
import Ashlar.Internal.Codec.Instances.Base ()
import Ashlar.Internal.Codec.Instances.Containers ()
import Ashlar.Internal.Codec.Instances.Numbers ()
import Ashlar.Internal.Codec.Instances.Strings ()
import Ashlar.Internal.Codec.Instances.Structures ()
import Ashlar.Internal.Codec.Instances.Tuples ()
import Ashlar.Internal.Codec.Instances.Vector ()
import Ashlar.Internal.Codec.Layouts (skipValue)
import Ashlar.Internal.Get.Budget
import Ashlar.Internal.Get.Chunks
import Ashlar.Internal.Get.Core (Get)
import Ashlar.Internal.Get.Error
import Ashlar.Internal.Get.Limits (asValue)
import Ashlar.Internal.Get.Run
import Ashlar.Internal.Get.Source
import Data.ByteString (ByteString)
import qualified Data.ByteString.Lazy as L
import System.IO (Handle)
import Prelude hiding (writeFile)

-- Functions, not methods: see Note [The shape of the class].

-- | Write a value: the bytes of 'encode', as a builder.
--
-- >>> toStrictByteString (put 'a' <> put True)
-- "a\NUL\NUL\NUL\SOH"
put :: Codec a => a -> Builder
put = Class.put
{-# INLINE put #-}

-- | Read a value, and leave what follows it.
--
-- >>> runGet ((,) <$> get <*> getWord8) "a\NUL\NUL\NUL\SOH" :: Either DecodeError (Char, Word8)
-- Right ('a',1)
get :: Codec a => Get a
get = Class.get
{-# INLINE get #-}

-- | The exact number of bytes that 'put' writes: the same as 'encodedSize'.
size :: Codec a => a -> Int
size = Class.size
{-# INLINE size #-}

-- | Whether all values take the same number of bytes: 'Ashlar.Codec.Combinators.Fix' if so, else
-- 'Ashlar.Codec.Combinators.Var'. A derived format is of constant size if the type has a single
-- constructor whose fields are so, or if no constructor has fields.
layout :: Codec a => Layout a
layout = Class.layout
{-# INLINE layout #-}

-- Values to bytes and back.

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
-- comes first, so its whole spine is forced before its first element is written. A
-- 'Ashlar.Codec.Packed.Packed' value is held from a byte of bits to its eighth bit.
encodeLazy :: Codec a => a -> L.ByteString
encodeLazy x = toLazyByteString (put x)
{-# INLINE encodeLazy #-}

-- | 'encode' to a 'Handle', in constant memory besides the value. (But see 'encodeLazy' for packed
-- values.) Errors of the Handle are 'Control.Exception.IOException's. 'hPutBuilder' says what is
-- written if a part throws.
hEncode :: Codec a => Handle -> a -> IO ()
hEncode h x = hPutBuilder h (put x)
{-# INLINE hEncode #-}

-- | 'encode' to a file, as by 'hEncode'. Its previous contents are lost, even if an exception in
-- the value ends the output early. Throws an 'Control.Exception.IOException' if the file cannot be
-- written.
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
-- It ends on any input, in time and memory proportional to the input's length and to two limits
-- (but for one kind of type with polymorphic recursion: see the known gaps in @docs/safety.md@).
-- Elements without bytes, like those of @[()]@, may be 1,048,576 in all, because eight bytes could
-- announce any number of them. Values may be nested 100,000 levels deep, because each level takes
-- stack: records and constructors with fields of variable size are levels, and so are containers
-- of elements of variable size. More is an 'OverBudget' error. 'decodeWith' sets other limits.
--
-- In a @'Data.Ratio.Ratio'@ of 'Integer' or @Natural@, and in a @UniversalTime@, fractions of
-- numbers of more than 4,096 bytes may have 1,048,576 bytes in all, because it takes more than
-- linear time to check that they are in lowest terms ('budgetSteps').
--
-- A value takes more memory than its bytes: a list of bytes 40 times as much, and no container
-- of small elements more than 128 times, except in the packed format ("Ashlar.Codec.Packed"), which
-- has up to eight elements in a byte: a list of 'Bool's takes 192 times as much.
--
-- The result is a valid value, or an error with the offset and the path to the field. The error is
-- computed only when it is forced, as with 'Ashlar.Get.runGet'.
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
-- After an error, the source is where the decoder stopped, which need not be where the value begins
-- or ends. After an exception it cannot be used again: see 'Ashlar.Get.getFrom'.
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
