{-# LANGUAGE DeriveAnyClass #-}
{-# LANGUAGE DeriveGeneric #-}
{-# LANGUAGE DerivingStrategies #-}
{-# LANGUAGE OverloadedStrings #-}
{-# LANGUAGE ScopedTypeVariables #-}
-- Constructors with names of fields are among the subjects. The chain of 300 sums needs many ticks.
{-# OPTIONS_GHC -Wno-partial-fields -fsimpl-tick-factor=2000 #-}

-- |
-- Module      : Tests.Large
-- Description : Sums that have instances of their own, because they are large
--
-- A sum of 17 constructors is large, one of 16 is not. Apart from names they must not differ.
module Tests.Large (tests) where

import Ashlar.Codec
import Ashlar.Codec.Laws (codecLaws)
import qualified Data.ByteString as S
import Data.Proxy (Proxy (..))
import Data.Text (Text)
import qualified Data.Text as T
import Data.Word (Word16, Word8)
import GHC.Generics (Generic)
import Test.Tasty
import Test.Tasty.QuickCheck
import Tests.Wide

tests :: TestTree
tests =
  testGroup
    "large sums"
    [ testProperties "17 constructors" (codecLaws (Proxy :: Proxy Seventeen)),
      testProperty "16 constructors have the same bytes" sameBytes,
      testProperty "16 constructors have the same results and errors" sameResults,
      testProperties "300 constructors" (codecLaws (Proxy :: Proxy Wide)),
      testProperty "300 constructors have tags of two bytes" wideBytes
    ]

data Sixteen
  = A0
  | A1 Word8
  | A2 Text
  | A3 Word16 Text Bool Word8
  | A4 [Sixteen]
  | A5 {aLeft :: Maybe Sixteen, aFlag :: !Bool, aRight :: Text, aDouble :: Double, aInt :: Int}
  | A6 () Bool ()
  | A7 Text Text
  | A8 Bool Bool
  | A9 !Text
  | A10
  | A11 Sixteen
  | A12 Bool Text () Text Bool
  | A13 {aSize :: Word16}
  | A14 () Text ()
  | A15 (Bool, Text)
  deriving stock (Eq, Show, Generic)
  deriving anyclass (Codec)

data Seventeen
  = B0
  | B1 Word8
  | B2 Text
  | B3 Word16 Text Bool Word8
  | B4 [Seventeen]
  | B5 {bLeft :: Maybe Seventeen, bFlag :: !Bool, bRight :: Text, bDouble :: Double, bInt :: Int}
  | B6 () Bool ()
  | B7 Text Text
  | B8 Bool Bool
  | B9 !Text
  | B10
  | B11 Seventeen
  | B12 Bool Text () Text Bool
  | B13 {bSize :: Word16}
  | B14 () Text ()
  | B15 (Bool, Text)
  | B16
  deriving stock (Eq, Show, Generic)
  deriving anyclass (Codec)

larger :: Sixteen -> Seventeen
larger x = case x of
  A0 -> B0
  A1 a -> B1 a
  A2 a -> B2 a
  A3 a b c d -> B3 a b c d
  A4 a -> B4 (map larger a)
  A5 a b c d e -> B5 (larger <$> a) b c d e
  A6 a b c -> B6 a b c
  A7 a b -> B7 a b
  A8 a b -> B8 a b
  A9 a -> B9 a
  A10 -> B10
  A11 a -> B11 (larger a)
  A12 a b c d e -> B12 a b c d e
  A13 a -> B13 a
  A14 a b c -> B14 a b c
  A15 a -> B15 a

instance Arbitrary Sixteen where
  arbitrary = sized $ \n ->
    oneof $
      [ pure A0,
        A1 <$> arbitrary,
        A2 <$> text,
        A3 <$> arbitrary <*> text <*> arbitrary <*> arbitrary,
        A6 () <$> arbitrary <*> pure (),
        A7 <$> text <*> text,
        A8 <$> arbitrary <*> arbitrary,
        A9 <$> text,
        pure A10,
        A12 <$> arbitrary <*> text <*> pure () <*> text <*> arbitrary,
        A13 <$> arbitrary,
        (\t -> A14 () t ()) <$> text,
        A15 <$> ((,) <$> arbitrary <*> text)
      ]
        ++ [ g
             | n > 0,
               g <-
                 [ A4 <$> resize (n `div` 4) (listOf arbitrary),
                   A5 <$> less n <*> arbitrary <*> text <*> arbitrary <*> arbitrary,
                   A11 <$> less n
                 ]
           ]
    where
      less :: Arbitrary a => Int -> Gen a
      less n = resize (n `div` 2) arbitrary
      text = T.pack <$> resize 5 (listOf (elements "abc"))

instance Arbitrary Seventeen where
  arbitrary = frequency [(1, pure B16), (16, larger <$> arbitrary)]

sameBytes :: Sixteen -> Property
sameBytes x = encode (larger x) === encode x

-- Of bytes in which no byte is the tag that only one of them has.
sameResults :: Sixteen -> Int -> Word8 -> Bool -> Property
sameResults x at byte cut = S.notElem 16 bytes ==> sixteen === seventeen
  where
    whole = encode x
    (kept, changed) = S.splitAt (at `mod` S.length whole) whole
    bytes = if cut then kept else kept <> S.cons byte (S.drop 1 changed)
    sixteen = either (Left . said id) (\(y :: Sixteen) -> Right (encode y)) (decode bytes)
    seventeen = either (Left . said renamed) (\(y :: Seventeen) -> Right (encode y)) (decode bytes)
    said rename e =
      (errorOffset e, map (rename . T.pack) (errorLabels e), rename (T.pack (show (errorReason e))))
    renamed =
      T.replace "has 17 constructors (tags 0 to 16)" "has 16 constructors (tags 0 to 15)"
        . T.replace "Seventeen" "Sixteen"
        . T.replace ".B" ".A"
        . T.replace ".b" ".a"

wideBytes :: Wide -> Property
wideBytes x@(Wide i n t) =
  encode x === S.pack [fromIntegral (i `mod` 256), fromIntegral (i `div` 256)] <> encode (n, t)
