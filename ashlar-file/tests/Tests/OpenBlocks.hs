{-# LANGUAGE DerivingStrategies #-}

-- |
-- Module      : Tests.OpenBlocks
-- Description : A block does not end after its buffer
--
-- Bytes that are written there may be right when the block is, and harm something else.
module Tests.OpenBlocks (tests) where

import Ashlar.Builder (byteString, word8)
import Ashlar.Codec.Fixed (Fixed, fixedWord8)
import Ashlar.File.Internal.Block
import Ashlar.File.Internal.Layout (blockHeaderBytes)
import Ashlar.Internal.Codec.Fixed (fixedNames, fixedRaw)
import Control.Monad (when)
import qualified Data.ByteString as S
import Data.IORef (modifyIORef', newIORef, readIORef, writeIORef)
import Data.Word (Word8)
import Foreign.ForeignPtr.Unsafe (unsafeForeignPtrToPtr)
import Foreign.Marshal.Utils (fillBytes)
import Test.Tasty
import Test.Tasty.QuickCheck hiding (Fixed)

tests :: TestTree
tests =
  testGroup
    "open blocks"
    [ testProperty "a block does not end after its buffer" withinBuffer
    ]

-- | What is written: records of these sizes.
data Step
  = Inserted Int
  | Bytewise Int
  | -- | Several of a constant size.
    Constant Int Int
  deriving stock (Show)

instance Arbitrary Step where
  arbitrary =
    oneof
      [ Inserted <$> oneof [choose (0, 100), choose (0, 15000)],
        Bytewise <$> oneof [choose (0, 100), choose (0, 5000)],
        Constant <$> oneof [choose (1, 20), choose (1, 3000)] <*> choose (0, 9)
      ]

withinBuffer :: Positive Int -> [Step] -> Property
withinBuffer (Positive size) steps = ioProperty $ do
  made <- newIORef Nothing
  beyond <- newIORef []
  let deliver (OpenBytes at n _) =
        readIORef made >>= mapM_ (\open -> readIORef (openBuffer open) >>= compared at n)
      compared at n (buffer, capacity) =
        when (at /= unsafeForeignPtrToPtr buffer || blockHeaderBytes + n > capacity) $
          modifyIORef' beyond ((n, capacity) :)
  open <- newOpenBlock (BlockLimits (20 * size) 20000) deliver
  writeIORef made (Just open)
  mapM_ (write open) steps
  flushOpen open
  found <- readIORef beyond
  pure (found === [])
  where
    write open step = case step of
      Inserted n -> writeOpen open (byteString (S.replicate n 1) <> endRecord open)
      Bytewise n -> writeOpen open (mconcat (replicate n (word8 1)) <> endRecord open)
      Constant n k -> () <$ writeFixed open (constant n) (replicate k 1)

-- | A byte, n times.
constant :: Int -> Fixed Word8
constant n =
  fixedRaw n (fixedNames fixedWord8) (\p w -> fillBytes p w n) (const (pure 1))
