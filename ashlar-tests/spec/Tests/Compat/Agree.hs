{-# LANGUAGE DerivingStrategies #-}
-- One copy of the properties for all types.
{-# OPTIONS_GHC -fno-specialise #-}

-- |
-- Module      : Tests.Compat.Agree
-- Description : Two libraries on the same values and bytes
module Tests.Compat.Agree
  ( Outcome (..),
    Library (..),
    Damage (..),
    same,
    sameChunks,
  )
where

import Control.Exception (ArithException, ErrorCall (..), evaluate, try)
import Control.Monad (forM_)
import Data.Bits (finiteBitSize)
import qualified Data.ByteString as S
import qualified Data.ByteString.Lazy as L
import qualified Data.ByteString.Lazy.Internal as L (ByteString (..))
import Data.Int (Int64)
import Data.List (stripPrefix, tails)
import Data.Maybe (mapMaybe)
import System.IO.Unsafe (unsafePerformIO)
import Test.Tasty
import Test.Tasty.HUnit
import Test.Tasty.QuickCheck

-- | What became of some bytes: a value, as it is shown, and the number of bytes left over. They are
-- too wide if ours refuses a number that an 'Int' does not hold.
data Outcome = Refused | TooWide | Value String Int64 | Raises
  deriving stock (Eq, Show)

-- Of an error, or of a value that may be an exception.
outcome :: Show a => Either String (a, Int64) -> Outcome
outcome result = case result of
  Left message -> if tooWide message then TooWide else Refused
  Right (a, left) -> unsafePerformIO $ do
    shown <- try (evaluate (let s = show a in length s `seq` s))
    case shown of
      Right s -> pure (Value s left)
      Left e -> arithmetic e
  where
    arithmetic :: ArithException -> IO Outcome
    arithmetic _ = pure Raises

-- Is this our refusal of a number, a count say, because it has more bits than an Int? An Int of 64
-- bits holds all numbers of these formats.
tooWide :: String -> Bool
tooWide message = finiteBitSize (0 :: Int) < 64 && any isWide numbers
  where
    numbers = mapMaybe (stripPrefix "number out of bounds: ") (tails message) >>= reads
    isWide (n, _) = n /= toInteger (fromInteger n :: Int)

-- The bytes of a value with something changed.
damaged :: L.ByteString -> Gen L.ByteString
damaged bytes =
  oneof
    [ cutShort bytes,
      change,
      (bytes <>) . L.pack <$> arbitrary,
      (\front -> L.pack front <> bytes) <$> resize 3 arbitrary,
      L.pack <$> arbitrary
    ]
  where
    change
      | L.null bytes = pure bytes
      | otherwise = do
        i <- choose (0, L.length bytes - 1)
        w <- oneof [arbitrary, elements [0, 1, 2, 3, 127, 128, 255]]
        let (front, behind) = L.splitAt i bytes
        pure (front <> L.cons w (L.drop 1 behind))

-- The first of the bytes.
cutShort :: L.ByteString -> Gen L.ByteString
cutShort bytes = (`L.take` bytes) <$> choose (0, L.length bytes)

-- The same bytes in small chunks.
rechunked :: L.ByteString -> Gen L.ByteString
rechunked bytes
  | L.null bytes = pure L.empty
  | otherwise = do
    n <- oneof [choose (1, 3), choose (1, 40)]
    let (front, behind) = L.splitAt n bytes
    (L.fromStrict (L.toStrict front) <>) <$> rechunked behind

-- | What a library makes of values of a type, and of bytes: an error, or the value and how many
-- bytes are left.
data Library a = Library
  { encoded :: a -> L.ByteString,
    decoded :: L.ByteString -> Either String (a, Int64)
  }

-- | How the bytes of a value are damaged: anyhow, or only cut short, where their library might not
-- come to an end.
data Damage = Damaged | Cut

-- | The same bytes; the value again, however they are cut; and the same outcome of damaged bytes.
same ::
  Show a =>
  -- | Ours and theirs.
  (Library a, Library a) ->
  -- | Ours and theirs, for lists.
  (Library [a], Library [a]) ->
  -- | May ours refuse these bytes though theirs reads them?
  (L.ByteString -> Bool) ->
  Damage ->
  String ->
  Gen a ->
  TestTree
same (ours, theirs) (oursOfLists, theirsOfLists) mayRefuse damage title gen =
  testGroup
    title
    [ testProperty "the same bytes" . forAll gen $ \x -> encoded ours x === encoded theirs x,
      testProperty "the same bytes as a list" . forAll (resize 12 (listOf gen)) $ \xs ->
        encoded oursOfLists xs === encoded theirsOfLists xs,
      testProperty "the original's bytes are read" . forAll gen $ \x ->
        forAll (rechunked (encoded theirs x)) $ \bytes ->
          of' ours bytes === of' theirs bytes .&&. of' ours bytes =/= Refused,
      testProperty "the original's lists are read" . forAll (listUpTo 80 gen) $ \xs ->
        forAll (rechunked (encoded theirsOfLists xs)) $ \bytes ->
          of' oursOfLists bytes === of' theirsOfLists bytes,
      testProperty "damaged bytes give the same outcome" . forAll gen $ \x ->
        forAll (damagedBy damage (encoded theirs x) >>= rechunked) $ \bytes ->
          agree (mayRefuse bytes) (of' ours bytes) (of' theirs bytes)
    ]
  where
    of' library bytes = outcome (decoded library bytes)

damagedBy :: Damage -> L.ByteString -> Gen L.ByteString
damagedBy damage = case damage of
  Damaged -> damaged
  Cut -> cutShort

-- Of few or many values, each of which is small.
listUpTo :: Int -> Gen a -> Gen [a]
listUpTo most gen = chooseInt (0, most) >>= \n -> resize 8 (vectorOf n gen)

-- Ours is the same as theirs. Where theirs is an exception, and where the first argument says so,
-- ours may refuse the bytes. Where a number is too wide, ours must, and theirs may do anything: it
-- cuts the number off.
agree :: Bool -> Outcome -> Outcome -> Property
agree stricter ours theirs =
  cover 1 (theirs /= Refused) "a value" $
    counterexample ("ours: " ++ show ours ++ "\ntheirs: " ++ show theirs) $
      ours == theirs || ours == TooWide || (ours == Refused && (theirs == Raises || stricter))

-- | Do both hand over the same chunks before an element that throws, after so many numbers?
sameChunks :: Num a => [Int] -> ([a] -> L.ByteString) -> ([a] -> L.ByteString) -> Assertion
sameChunks lengths ours theirs = forM_ lengths $ \n -> do
  let xs = map fromIntegral [1 .. n] ++ [errorWithoutStackTrace "element"]
  a <- delivered (ours xs)
  b <- delivered (theirs xs)
  a @?= b

-- The sizes of the chunks up to the end, or up to an 'error'.
delivered :: L.ByteString -> IO [Int]
delivered bytes = do
  forced <- try (evaluate bytes)
  case forced of
    Left (ErrorCall _) -> pure []
    Right L.Empty -> pure []
    Right (L.Chunk chunk more) -> (S.length chunk :) <$> delivered more
