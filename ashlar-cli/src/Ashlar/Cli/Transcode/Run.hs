{-# LANGUAGE BangPatterns #-}
{-# LANGUAGE DerivingStrategies #-}
{-# LANGUAGE OverloadedStrings #-}
-- A schema is compiled once.
{-# OPTIONS_GHC -fno-do-lambda-eta-expansion #-}

-- |
-- Module      : Ashlar.Cli.Transcode.Run
-- Description : Closures that read bytes and write others
module Ashlar.Cli.Transcode.Run
  ( Run,
    Op,
    Boxed (..),
    done,
    unusual,
    giveUp,
    quickly,
    deeper,

    -- * Reading
    input,
    inputEnd,
    setInput,
    atHand,
    groups,
    countOf,

    -- * Writing
    reserve,
    setOutput,
    builderRun,
    constantSize,
    Literal,
    literalOf,
    literalSize,
    copyLiteral,
    literal,
    literally,
    comma,
  )
where

import Ashlar.Builder (Builder)
import Ashlar.Builder.Sink (FreeSpace (..), Request (..), Sink (..), runBuilderWith)
import Ashlar.Cli.Transcode.Memory
import Ashlar.Codec (Get)
import Ashlar.Get.Unsafe (Foreign (..), getForeign)
import Ashlar.Schema (Length (..))
import Control.Exception (Exception, throwIO, try)
import Control.Monad (when)
import Data.Bits (unsafeShiftL, (.&.), (.|.))
import Data.ByteString (ByteString)
import qualified Data.ByteString as B
import qualified Data.ByteString.Internal as B (fromForeignPtr, mallocByteString)
import qualified Data.ByteString.Unsafe as B
import Data.IORef
import Data.Int (Int64)
import Data.Maybe (fromMaybe)
import Data.Primitive.ByteArray
  ( MutableByteArray,
    newByteArray,
    readByteArray,
    writeByteArray,
  )
import Data.Word (Word64, Word8)
import Foreign.ForeignPtr (ForeignPtr, withForeignPtr)
import Foreign.ForeignPtr.Unsafe (unsafeForeignPtrToPtr)
import Foreign.Ptr (Ptr, castPtr, minusPtr, plusPtr)
import Foreign.Storable (Storable (..))
import GHC.Exts (RealWorld)

-- | Where a run stands.
data State = State
  { -- | 'inputSlot' to 'depthSlot'.
    stateSlots :: !(MutableByteArray RealWorld),
    -- | What is written.
    stateBuffer :: !(IORef (ForeignPtr Word8)),
    -- | The most bytes that may be written.
    stateMost :: !Int
  }

-- Addresses: of the next byte to read, after the last, of the next byte to write, after the last.
inputSlot, inputEndSlot, outputSlot, outputEndSlot :: Int
inputSlot = 0
inputEndSlot = 1
outputSlot = 2
outputEndSlot = 3

-- A number: how deep references are nested.
depthSlot :: Int
depthSlot = 4

-- | Reads bytes and writes others.
type Run = State -> IO ()

-- | What is done before something.
type Op = Run -> Run

-- In a box, for arrays.
newtype Boxed = Boxed Run

-- | What is out of the ordinary.
data Unusual = Unusual
  deriving stock (Show)

instance Exception Unusual

giveUp :: IO a
giveUp = throwIO Unusual
{-# NOINLINE giveUp #-}

-- At a level there are at most some hundred levels of the decoder, which allows 100,000.
mostDeep :: Int
mostDeep = 500

-- | One level of references deeper.
deeper :: Run -> Run
deeper r = \s -> do
  depth <- readByteArray (stateSlots s) depthSlot
  when (depth >= mostDeep) giveUp
  writeByteArray (stateSlots s) depthSlot (depth + 1)
  r s
  writeByteArray (stateSlots s) depthSlot depth
{-# INLINE deeper #-}

-- | Write by closures, or do what is done where these give up.
quickly ::
  -- | The most bytes that may be written.
  Int ->
  Run ->
  Get ByteString ->
  Get ByteString
quickly most write slowly = getForeign (pure (Hungry fed)) >>= maybe slowly pure
  where
    fed chunk = do
      let bytes = fromMaybe B.empty chunk
      found <- try (written most write bytes)
      pure $ case found of
        Right (unused, line) -> Enough unused (Just line)
        Left Unusual -> Enough (B.length bytes) Nothing

-- | How many bytes are left, and those that are written, in a buffer of their own.
written :: Int -> Run -> ByteString -> IO (Int, ByteString)
written most write bytes = B.unsafeUseAsCStringLen bytes $ \(from, size) -> do
  slots <- newByteArray 40
  buffer <- B.mallocByteString firstBytes
  ref <- newIORef buffer
  let s = State slots ref most
      start = unsafeForeignPtrToPtr buffer
      end = castPtr from `plusPtr` size
  setInput s (castPtr from)
  writeByteArray slots inputEndSlot end
  setOutput s start
  writeByteArray slots outputEndSlot (start `plusPtr` firstBytes)
  writeByteArray slots depthSlot (0 :: Int)
  write s
  left <- minusPtr end <$> input s
  final <- readIORef ref
  n <- (`minusPtr` unsafeForeignPtrToPtr final) <$> output s
  capacity <- (`minusPtr` unsafeForeignPtrToPtr final) <$> outputEnd s
  when (n > most) giveUp
  let line = B.fromForeignPtr final 0 n
  -- (Not more than a quarter of the memory is kept unused.)
  line' <-
    if capacity > firstBytes && capacity - n > capacity `quot` 4
      then pure $! B.copy line
      else pure line
  pure (left, line')
  where
    firstBytes = 512

-- | The address of the next byte to read.
input :: State -> IO (Ptr Word8)
input s = readByteArray (stateSlots s) inputSlot
{-# INLINE input #-}

-- | The address after the last.
inputEnd :: State -> IO (Ptr Word8)
inputEnd s = readByteArray (stateSlots s) inputEndSlot
{-# INLINE inputEnd #-}

setInput :: State -> Ptr Word8 -> IO ()
setInput s = writeByteArray (stateSlots s) inputSlot
{-# INLINE setInput #-}

output, outputEnd :: State -> IO (Ptr Word8)
output s = readByteArray (stateSlots s) outputSlot
outputEnd s = readByteArray (stateSlots s) outputEndSlot
{-# INLINE output #-}
{-# INLINE outputEnd #-}

setOutput :: State -> Ptr Word8 -> IO ()
setOutput s = writeByteArray (stateSlots s) outputSlot
{-# INLINE setOutput #-}

-- | The address of the next n bytes. (A sum of lengths may be negative on 32 bits.)
atHand :: State -> Int -> IO (Ptr Word8)
atHand s n = do
  p <- input s
  e <- inputEnd s
  if n >= 0 && e `minusPtr` p >= n then pure p else giveUp
{-# INLINE atHand #-}

-- | The address of the next byte to write, where n are free.
reserve :: State -> Int -> IO (Ptr Word8)
reserve s n = do
  q <- output s
  e <- outputEnd s
  if e `minusPtr` q >= n then pure q else grown s n
{-# INLINE reserve #-}

grown :: State -> Int -> IO (Ptr Word8)
grown s n = do
  buffer <- readIORef (stateBuffer s)
  used <- (`minusPtr` unsafeForeignPtrToPtr buffer) <$> output s
  size <- (`minusPtr` unsafeForeignPtrToPtr buffer) <$> outputEnd s
  let size' = max (used + n) (min (stateMost s) (4 * size))
  when (used > stateMost s - n) giveUp
  larger <- B.mallocByteString size'
  let start = unsafeForeignPtrToPtr larger
  withForeignPtr larger (\_ -> withForeignPtr buffer (\from -> copyLarge start from used))
  writeIORef (stateBuffer s) larger
  setOutput s (start `plusPtr` used)
  writeByteArray (stateSlots s) outputEndSlot (start `plusPtr` size')
  pure (start `plusPtr` used)
{-# NOINLINE grown #-}

-- | Write by a builder.
builderRun :: Builder -> Run
builderRun b s = space >>= \free -> runBuilderWith sink free b >>= setOutput s
  where
    space = FreeSpace <$> output s <*> outputEnd s
    sink = Sink $ \request q -> do
      setOutput s q
      case request of
        More n _ -> () <$ reserve s n
        Insert bytes -> B.unsafeUseAsCStringLen bytes $ \(from, n) -> do
          to <- reserve s n
          copyLarge to (castPtr from) n
          setOutput s (to `plusPtr` n)
        Flush -> pure ()
      space

-- | Read a number of bytes, and write at most a number of bytes after some that are known.
constantSize :: Int -> Int -> (Ptr Word8 -> Ptr Word8 -> IO (Ptr Word8)) -> ByteString -> Op
constantSize width bound write before next = \s -> do
  p <- atHand s width
  q <- reserve s (literalSize before' + bound)
  q' <- copyLiteral q before' >>= write p
  setInput s (p `plusPtr` width)
  setOutput s q'
  next s
  where
    !before' = literalOf before
{-# INLINE constantSize #-}

-- | Bytes that are known, with zeros after them up to a whole number of words; and their number.
data Literal = Literal !ByteString !Int

literalOf :: ByteString -> Literal
literalOf bytes = Literal (bytes <> B.replicate (negate n `mod` 8) 0) n
  where
    n = B.length bytes

-- | The bytes that 'copyLiteral' needs.
literalSize :: Literal -> Int
literalSize (Literal padded _) = B.length padded
{-# INLINE literalSize #-}

-- | Write the bytes, and return the address after them.
copyLiteral :: Ptr Word8 -> Literal -> IO (Ptr Word8)
copyLiteral q (Literal padded n) =
  q `plusPtr` n <$ B.unsafeUseAsCStringLen padded (\(p, m) -> copyWords q (castPtr p) m)
{-# INLINE copyLiteral #-}

-- | Write bytes.
literal :: ByteString -> Op
literal bytes next
  | B.null bytes = next
  | otherwise = \s -> literally bytes' s >> next s
  where
    !bytes' = literalOf bytes

literally :: Literal -> Run
literally bytes s = reserve s (literalSize bytes) >>= (`copyLiteral` bytes) >>= setOutput s
{-# INLINE literally #-}

done :: Run
done _ = pure ()

unusual :: Op
unusual _ = \_ -> giveUp

comma :: Run
comma s = do
  q <- reserve s 1
  poke q 0x2C
  setOutput s (q `plusPtr` 1)
{-# INLINE comma #-}

-- | A count, after which the run stands.
countOf :: Length -> State -> IO Int
countOf len s = case len of
  Length64 -> do
    p <- atHand s 8
    n <- peekLE p :: IO Int64
    when (n < 0 || n > 0x3FFFFFFF) giveUp
    setInput s (p `plusPtr` 8)
    pure (fromIntegral n)
  LengthVarint -> do
    n <- groups s
    when (n > 0x3FFFFFFF) giveUp
    pure (fromIntegral n)
{-# INLINE countOf #-}

-- | A LEB128 number of at most 63 bits in its shortest form, after which the run stands.
groups :: State -> IO Word64
groups s = do
  p <- input s
  e <- inputEnd s
  let go :: Int -> Word64 -> IO Word64
      go !i !acc
        | i >= 9 || e `minusPtr` p <= i = giveUp
        | otherwise = do
          b <- peek (p `plusPtr` i) :: IO Word8
          let acc' = acc .|. (fromIntegral (b .&. 127) `unsafeShiftL` (7 * i))
          if b >= 128
            then go (i + 1) acc'
            else do
              when (b == 0 && i > 0) giveUp
              setInput s (p `plusPtr` (i + 1))
              pure acc'
  go 0 0
