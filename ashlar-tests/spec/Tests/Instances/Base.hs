-- |
-- Module      : Tests.Instances.Base
-- Description : The instances for the types of base
module Tests.Instances.Base (numbers, characters, data', tuples, newtypes) where

import Control.Applicative (ZipList (..))
import Data.Complex (Complex (..))
import Data.Fixed (Centi, Pico, Uni)
import Data.Functor.Compose (Compose (..))
import Data.Functor.Const (Const (..))
import Data.Functor.Identity (Identity (..))
import qualified Data.Functor.Product as Functor
import qualified Data.Functor.Sum as Functor
import Data.Int
import Data.List.NonEmpty (NonEmpty (..))
import qualified Data.Monoid as Monoid
import Data.Ord (Down (..))
import Data.Proxy (Proxy (..))
import Data.Ratio (Ratio, (%))
import qualified Data.Semigroup as Semigroup
import qualified Data.Text as T
import Data.Version (Version (..), makeVersion)
import Data.Word
import GHC.Fingerprint (Fingerprint (..))
import Numeric.Natural (Natural)
import Test.QuickCheck
import Tests.Arbitrary ()
import Tests.Instances.Type

numbers :: Section
numbers =
  Section
    "Numbers"
    [ is "Word8" [0, 255 :: Word8],
      is "Word16" [258 :: Word16],
      is "Word32" [16909060 :: Word32],
      is "Word64" [72623859790382856 :: Word64],
      is "Word" [258 :: Word],
      is "Int8" [-2 :: Int8],
      is "Int16" [-2 :: Int16],
      is "Int32" [-2 :: Int32],
      is "Int64" [-2, maxBound :: Int64],
      is "Int" [1, -2147483648 :: Int],
      is "Float" [1.5, -1 / 0 :: Float],
      is "Double" [1.5, -0.0 :: Double],
      made
        "Integer"
        integer
        [0, 1, -1, 255, 256, 2 ^ (64 :: Int) - 1, -(2 ^ (64 :: Int)) :: Integer],
      made "Natural" (fromInteger . abs <$> integer) [0, 1, 256, 2 ^ (64 :: Int) :: Natural],
      made
        "Ratio Int8"
        ((\n d -> n % d) <$> choose (-127, 127) <*> choose (1, 127))
        [-(3 % 4) :: Ratio Int8],
      made "Rational" (ratio integer) [1 % 3, -2 :: Rational],
      is "Centi" [-12.34 :: Centi],
      is "Uni" [5 :: Uni],
      is "Pico" [0.000000000001 :: Pico],
      is "Complex Float" [1 :+ (-1) :: Complex Float],
      is "Complex Integer" [3 :+ 4 :: Complex Integer]
    ]

-- Integers of any size, often where the number of bytes changes.
integer :: Gen Integer
integer =
  oneof
    [ choose (-1000, 1000),
      choose (-(2 ^ (70 :: Int)), 2 ^ (70 :: Int)),
      (\k d s -> s * (256 ^ k + d))
        <$> choose (0, 40 :: Int) <*> choose (-1, 1) <*> elements [-1, 1],
      choose (-(2 ^ (700 :: Int)), 2 ^ (700 :: Int))
    ]

ratio :: Gen Integer -> Gen Rational
ratio gen = (\n d -> n % (1 + abs d)) <$> gen <*> gen

characters :: Section
characters =
  Section
    "Characters, truth and order"
    [ made
        "Char"
        (oneof [arbitrary, choose ('\xD7F0', '\xE010'), pure maxBound])
        ['a', '\x1F600', '\xD800'],
      is "Bool" [False, True],
      is "Ordering" [LT, EQ, GT],
      is "()" [()],
      made "Proxy Int" (pure Proxy) [Proxy :: Proxy Int]
    ]

data' :: Section
data' =
  Section
    "Maybe, Either, lists"
    [ is "Maybe Word8" [Nothing, Just 7 :: Maybe Word8],
      is "Maybe (Maybe ())" [Nothing, Just Nothing, Just (Just ()) :: Maybe (Maybe ())],
      is "Either Word8 Bool" [Left 7, Right True :: Either Word8 Bool],
      is "[Word16]" [[], [1, 2] :: [Word16]],
      is "[Text]" [[T.pack "a", T.pack ""]],
      is "[()]" [[(), ()]],
      is "[[Bool]]" [[[], [True]]],
      is "String" ["ab"],
      made "NonEmpty Word8" ((:|) <$> arbitrary <*> arbitrary) [1 :| [2 :: Word8]],
      made "Version" version [makeVersion [1, 2], Version [1] ["a"]],
      made "Fingerprint" (Fingerprint <$> arbitrary <*> arbitrary) [Fingerprint 1 2]
    ]
  where
    version = Version <$> arbitrary <*> arbitrary

tuples :: Section
tuples =
  Section
    "Tuples"
    [ is "(Word8, Int16)" [(1, 2) :: (Word8, Int16)],
      is "(Word8, String, Bool)" [(1, "a", True) :: (Word8, String, Bool)],
      is "4 of Word8" [(1, 2, 3, 4) :: (Word8, Word8, Word8, Word8)],
      is "5 of Word8" [(1, 2, 3, 4, 5) :: (Word8, Word8, Word8, Word8, Word8)],
      is "6 of Word8" [(1, 2, 3, 4, 5, 6) :: (Word8, Word8, Word8, Word8, Word8, Word8)],
      is "7 of Word8" [(1, 2, 3, 4, 5, 6, 7) :: (Word8, Word8, Word8, Word8, Word8, Word8, Word8)],
      is
        "8 of Word8"
        [ (1, 2, 3, 4, 5, 6, 7, 8) ::
            (Word8, Word8, Word8, Word8, Word8, Word8, Word8, Word8)
        ],
      is
        "9 of Word8"
        [ (1, 2, 3, 4, 5, 6, 7, 8, 9) ::
            (Word8, Word8, Word8, Word8, Word8, Word8, Word8, Word8, Word8)
        ],
      is
        "10 of Word8"
        [ (1, 2, 3, 4, 5, 6, 7, 8, 9, 10) ::
            (Word8, Word8, Word8, Word8, Word8, Word8, Word8, Word8, Word8, Word8)
        ],
      made
        "11 of Word8"
        (ten >>= \(a, b, c, d, e, f, g, h, i, j) -> (,,,,,,,,,,) a b c d e f g h i j <$> arbitrary)
        [ (1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11) ::
            (Word8, Word8, Word8, Word8, Word8, Word8, Word8, Word8, Word8, Word8, Word8)
        ],
      made
        "12 of Word8"
        ( ten >>= \(a, b, c, d, e, f, g, h, i, j) ->
            (,,,,,,,,,,,) a b c d e f g h i j <$> arbitrary <*> arbitrary
        )
        [ (1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11, 12) ::
            (Word8, Word8, Word8, Word8, Word8, Word8, Word8, Word8, Word8, Word8, Word8, Word8)
        ],
      made
        "13 of Word8"
        ( ten >>= \(a, b, c, d, e, f, g, h, i, j) ->
            (,,,,,,,,,,,,) a b c d e f g h i j <$> arbitrary <*> arbitrary <*> arbitrary
        )
        [ (1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11, 12, 13) ::
            ( Word8,
              Word8,
              Word8,
              Word8,
              Word8,
              Word8,
              Word8,
              Word8,
              Word8,
              Word8,
              Word8,
              Word8,
              Word8
            )
        ],
      made
        "14 of Word8"
        ( ten >>= \(a, b, c, d, e, f, g, h, i, j) ->
            (,,,,,,,,,,,,,) a b c d e f g h i j
              <$> arbitrary <*> arbitrary <*> arbitrary <*> arbitrary
        )
        [ (1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11, 12, 13, 14) ::
            ( Word8,
              Word8,
              Word8,
              Word8,
              Word8,
              Word8,
              Word8,
              Word8,
              Word8,
              Word8,
              Word8,
              Word8,
              Word8,
              Word8
            )
        ],
      made
        "15 of Word8"
        ( ten >>= \(a, b, c, d, e, f, g, h, i, j) ->
            (,,,,,,,,,,,,,,) a b c d e f g h i j
              <$> arbitrary <*> arbitrary <*> arbitrary <*> arbitrary <*> arbitrary
        )
        [ (1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11, 12, 13, 14, 15) ::
            ( Word8,
              Word8,
              Word8,
              Word8,
              Word8,
              Word8,
              Word8,
              Word8,
              Word8,
              Word8,
              Word8,
              Word8,
              Word8,
              Word8,
              Word8
            )
        ],
      is
        "(Int8, String, (), Bool, [Int8], Int8, Char, Word8)"
        [(1, "a", (), True, [2], 3, 'b', 4) :: (Int8, String, (), Bool, [Int8], Int8, Char, Word8)]
    ]
  where
    ten = arbitrary :: Gen (Word8, Word8, Word8, Word8, Word8, Word8, Word8, Word8, Word8, Word8)

newtypes :: Section
newtypes =
  Section
    "Newtypes of base"
    [ is "Identity Word8" [Identity 1 :: Identity Word8],
      is "Const Word8 Int" [Const 1 :: Const Word8 Int],
      is "Compose [] Maybe Word8" [Compose [Just 1, Nothing] :: Compose [] Maybe Word8],
      made "Down Word8" (Down <$> arbitrary) [Down (1 :: Word8)],
      is "ZipList Word8" [ZipList [1 :: Word8]],
      is "All" [Monoid.All True],
      is "Any" [Monoid.Any False],
      is "Dual Word8" [Monoid.Dual (1 :: Word8)],
      is "Sum Word8" [Monoid.Sum (1 :: Word8)],
      is "Product Word8" [Monoid.Product (1 :: Word8)],
      is "Monoid.First Word8" [Monoid.First (Just (1 :: Word8))],
      is "Monoid.Last Word8" [Monoid.Last (Nothing :: Maybe Word8)],
      is "Alt Maybe Word8" [Monoid.Alt (Just (1 :: Word8))],
      made "Ap Maybe Word8" (Monoid.Ap <$> arbitrary) [Monoid.Ap (Just (1 :: Word8))],
      made "Min Word8" (Semigroup.Min <$> arbitrary) [Semigroup.Min (1 :: Word8)],
      made "Max Word8" (Semigroup.Max <$> arbitrary) [Semigroup.Max (1 :: Word8)],
      made "Semigroup.First Word8" (Semigroup.First <$> arbitrary) [Semigroup.First (1 :: Word8)],
      made "Semigroup.Last Word8" (Semigroup.Last <$> arbitrary) [Semigroup.Last (1 :: Word8)],
      made
        "WrappedMonoid [Word8]"
        (Semigroup.WrapMonoid <$> arbitrary)
        [Semigroup.WrapMonoid [1 :: Word8]],
      made
        "Arg Word8 Bool"
        (Semigroup.Arg <$> arbitrary <*> arbitrary)
        [Semigroup.Arg (1 :: Word8) True],
      made
        "Functor.Product Maybe [] Word8"
        (Functor.Pair <$> arbitrary <*> arbitrary)
        [Functor.Pair (Just 1) [2] :: Functor.Product Maybe [] Word8],
      made
        "Functor.Sum Maybe [] Word8"
        (oneof [Functor.InL <$> arbitrary, Functor.InR <$> arbitrary])
        [Functor.InL (Just 1), Functor.InR [2] :: Functor.Sum Maybe [] Word8]
    ]
