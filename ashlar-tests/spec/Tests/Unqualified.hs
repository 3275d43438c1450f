{-# LANGUAGE DeriveAnyClass #-}
{-# LANGUAGE DeriveGeneric #-}
{-# LANGUAGE DerivingStrategies #-}
{-# LANGUAGE OverloadedStrings #-}

-- |
-- Module      : Tests.Unqualified
-- Description : A user's module that imports the main modules unqualified
--
-- "Ashlar.Builder", "Ashlar.Codec" and "Ashlar.Get" may be imported unqualified, together and with
-- the Prelude. That this module compiles is half of the test: a name that meant two things would
-- be an error where it is used. 'Ashlar.Builder.writeFile' alone is also a name of the Prelude. The
-- modules that are imported qualified repeat names on purpose; docs/names.md lists them.
module Tests.Unqualified (tests) where

import Ashlar.Builder hiding (writeFile)
import qualified Ashlar.Builder.Prim as Prim
import qualified Ashlar.ByteOrder as Order
import Ashlar.Codec
import Ashlar.Get
import qualified Ashlar.Get.Parse as Parse
import Control.Applicative (many)
import qualified Data.ByteString as S
import qualified Data.ByteString.Lazy as L
import Data.Word (Word16, Word32, Word8)
import GHC.Generics (Generic)
import Test.Tasty
import Test.Tasty.QuickCheck hiding (label)

tests :: TestTree
tests =
  testGroup
    "the main modules, imported unqualified"
    [ testProperty "frames of points, written and read" framesBack,
      testProperty "lines of numbers, written and parsed" linesBack
    ]

-- A derived instance.
data Point = Point Word32 Double
  deriving stock (Eq, Show, Generic)
  deriving anyclass (Codec)

instance Arbitrary Point where
  arbitrary = Point <$> arbitrary <*> arbitrary

-- Names of all three: a builder around the values of a class.
frame :: Word8 -> Point -> Builder
frame kind point =
  "pt" <> word8 kind <> word16BE (fromIntegral (size point)) <> put point <> textUtf8 "."

getFrame :: Get (Word8, Point)
getFrame = label "frame" $ do
  _ <- getByteString 2
  kind <- getWord8
  n <- getWord16be
  point <- isolate (fromIntegral n) get
  skip 1
  pure (kind, point)

framesBack :: [(Word8, Point)] -> Property
framesBack frames =
  runGet (many getFrame <* endOfInput) bytes === Right frames
    .&&. runGetLazy (many getFrame <* endOfInput) (L.fromStrict bytes) === Right frames
    .&&. decode (encode frames) === Right frames
    .&&. S.length (encode frames) === size frames
  where
    bytes = toStrictByteString (foldMap (uncurry frame) frames)

-- Names that clash with Builder's and the Prelude's, qualified.
linesBack :: [Word16] -> Property
linesBack xs =
  runGet (many line) (toStrictByteString (foldMap written xs)) === Right xs
  where
    written x =
      word16Dec x <> char7 ':' <> Prim.primFixed Prim.word8 0 <> Order.word16 Order.BigEndian x
        <> "\n"
    line = do
      x <- Parse.decimal
      _ <- Parse.word8 58
      skip 3
      Parse.endOfLine
      pure x
