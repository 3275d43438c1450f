{-# LANGUAGE DataKinds #-}
{-# LANGUAGE DerivingStrategies #-}
{-# LANGUAGE KindSignatures #-}
{-# LANGUAGE ScopedTypeVariables #-}

-- |
-- Module      : Tests.OpenBlocks
-- Description : A block does not end after its buffer
--
-- Bytes that are written there may be right when the block is, and harm something else.
module Tests.OpenBlocks (tests) where

import Ashlar.Builder (Builder, byteString, word8)
import Ashlar.Codec (Codec, HasFormat (..))
import qualified Ashlar.Codec.Combinators as F
import Ashlar.File.Internal.Block
import Ashlar.File.Internal.Layout (blockHeaderBytes)
import Control.Monad (when)
import qualified Data.ByteString as S
import Data.IORef (modifyIORef', newIORef, readIORef, writeIORef)
import Data.Proxy (Proxy (..))
import Foreign.ForeignPtr.Unsafe (unsafeForeignPtrToPtr)
import GHC.TypeNats (KnownNat, Nat, SomeNat (..), natVal, someNatVal)
import Test.Tasty
import Test.Tasty.QuickCheck

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

withinBuffer :: [Step] -> Property
withinBuffer steps = forAll limits $ \size -> ioProperty $ do
  made <- newIORef Nothing
  beyond <- newIORef []
  let deliver (CompleteBlock at n _) =
        readIORef made >>= mapM_ (\open -> readIORef (openBuffer open) >>= compared at n)
      compared at n (buffer, capacity) =
        when (at /= unsafeForeignPtrToPtr buffer || blockHeaderBytes + n > capacity) $
          modifyIORef' beyond ((n, capacity) :)
  open <- newOpenBlock (BlockLimits size 20000) deliver
  writeIORef made (Just open)
  mapM_ (write open) steps
  flushOpen open
  found <- readIORef beyond
  pure (found === [])
  where
    -- Limits that are not positive count as 1.
    limits = oneof [choose (1, 100), choose (1, 3000), choose (-2000, 0)]
    write open step = case step of
      Inserted n -> addRecords open [AnySize n (byteString (S.replicate n 1))]
      Bytewise n -> addRecords open [AnySize n (mconcat (replicate n (word8 1)))]
      Constant n k -> case someNatVal (fromIntegral n) of
        SomeNat size' -> addRecords open (replicate k (constant size'))

-- | A record of this number of bytes.
data AnySize = AnySize Int Builder

instance Codec AnySize

instance HasFormat AnySize where
  format = F.byHand 0 (\(AnySize n _) -> n) (\(AnySize _ b) -> b) (pure (AnySize 0 mempty))

-- | The same, of a number that the type says.
data Constant (n :: Nat) = ConstantBytes

instance KnownNat n => Codec (Constant n)

instance KnownNat n => HasFormat (Constant n) where
  format = F.fixed (ones (fromIntegral (natVal (Proxy :: Proxy n))))

-- n bytes.
ones :: Int -> F.Fixed (Constant n)
ones n
  | n <= 0 = F.fixedUnit ConstantBytes
  | n == 1 = F.fixedMap (const 1) (const ConstantBytes) F.fixedWord8
  | otherwise = F.fixedPair id id const (ones half) (ones (n - half))
  where
    half = n `div` 2

constant :: Proxy n -> Constant n
constant _ = ConstantBytes
