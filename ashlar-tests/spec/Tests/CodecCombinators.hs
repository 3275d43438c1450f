{-# LANGUAGE DeriveAnyClass #-}
{-# LANGUAGE DeriveGeneric #-}
{-# LANGUAGE DerivingStrategies #-}
{-# LANGUAGE OverloadedStrings #-}
{-# LANGUAGE ScopedTypeVariables #-}
{-# LANGUAGE TypeApplications #-}

-- |
-- Module      : Tests.CodecCombinators
-- Description : Formats written by hand, against derived ones
module Tests.CodecCombinators (tests) where

import Ashlar.Builder (toStrictByteString)
import Ashlar.Codec
import Ashlar.Codec.Combinators
import Ashlar.Codec.Laws
import Ashlar.Get (runGet)
import qualified Data.ByteString as S
import Data.Proxy (Proxy (Proxy))
import Data.Text (Text)
import qualified Data.Text as T
import Data.Word (Word16, Word8)
import GHC.Generics (Generic)
import Test.Tasty
import Test.Tasty.HUnit
import Test.Tasty.QuickCheck hiding (variant)
import Tests.Arbitrary ()
import Tests.Derived (AllFixed (..), Colour (..), Record (..), Shape (..), Tree (..))
import Tests.Failures (brief)

tests :: TestTree
tests =
  testGroup
    "instances by hand"
    [ sameAsDerived "a record" (samples :: Samples Record) recordFormat,
      sameAsDerived "a record of constant size" (samples :: Samples AllFixed) allFixed,
      sameAsDerived "a sum" (samples :: Samples Shape) shape,
      sameAsDerived "an enumeration" (samples :: Samples Colour) colour,
      sameAsDerived "a recursive type" (samples :: Samples (Tree Text)) tree,
      sameAsDerived "a pair" (samples :: Samples (Word8, Text)) (both codec codec),
      testProperties "a record that is checked" (codecLaws (Proxy :: Proxy Range)),
      testProperties "a recursive variant" (codecLaws (Proxy :: Proxy Expression)),
      testProperties
        "a sum of constant size"
        (codecLaws (Proxy :: Proxy (Perhaps, [Perhaps], Perhaps))),
      testProperties "two bytes by hand" (codecLaws (Proxy :: Proxy (Bytes2, [Bytes2], Bytes2))),
      testProperty "formats by hand have their own bytes" layoutsByHand,
      testCase "fields in any arrangement" arrangements,
      testCase "constant size stays constant" constants,
      testCase "what is refused" refusals
    ]

-- A derived instance would be of variable size.
data Perhaps = No | Yes Word8
  deriving stock (Eq, Show, Generic)

instance Codec Perhaps

instance HasFormat Perhaps where
  format = fixed (fixedChecked there back fixedWord16LE)
    where
      there x = case x of
        No -> 0
        Yes w -> 256 + fromIntegral w
      back n
        | n == 0 = Right No
        | n `div` 256 == 1 = Right (Yes (fromIntegral n))
        | otherwise = Left "neither"

instance Arbitrary Perhaps where
  arbitrary = oneof [pure No, Yes <$> arbitrary]

-- A derived instance would be of constant size.
data Bytes2 = Bytes2 Word8 Word8
  deriving stock (Eq, Show, Generic)

instance Codec Bytes2

instance HasFormat Bytes2 where
  format = byHand 2 (const 2) (\(Bytes2 a b) -> put a <> put b) (Bytes2 <$> get <*> get)

instance Arbitrary Bytes2 where
  arbitrary = Bytes2 <$> arbitrary <*> arbitrary

layoutsByHand :: Word8 -> Word8 -> Property
layoutsByHand a b =
  (encode (No, Yes a), encode (Bytes2 a b)) === (S.pack [0, 0, a, 1], S.pack [a, b])
    .&&. (encodedSize (Yes a), encodedSize (Bytes2 a b)) === (2, 2)

-- The format has the bytes, the sizes, the errors and the layout of the derived instance.
sameAsDerived :: forall a. Codec a => String -> Samples a -> Format a -> TestTree
sameAsDerived title s f =
  testGroup
    title
    [ testProperty "has the bytes of the derived format" $
        with $ \x -> toStrictByteString (formatPut f x) === encode x,
      testProperty "has the size of the derived format" $
        with $ \x -> formatSize f x === encodedSize x,
      testProperty "decodes what the derived format encodes" $
        with $ \x ->
          either (const False) (sampleEq s x) (runGet (formatGet f) (encode x)),
      testProperty "refuses what the derived format refuses" $
        with $ \x -> forAll arbitrary $ \m ->
          let bs = mutate m (encode x)
           in either (Left . offset) (Right . encode) (runGet (formatGet f) bs)
                === either (Left . offset) (Right . encode) (runGet (get :: Get a) bs),
      testCase "has the layout of the derived format" $
        described (formatLayout f) @?= described (layout :: Layout a)
    ]
  where
    with :: Testable p => (a -> p) -> Property
    with = forAllShrinkShow (scale (`div` 4) (sampleGen s)) (sampleShrink s) (sampleShow s)
    offset = errorOffset

described :: Layout a -> (Bool, Int)
described l = case l of
  Fix _ -> (True, leastSize l)
  Var n -> (False, n)

recordFormat :: Format Record
recordFormat =
  record "Record" $
    Record
      <$> field "first" first codec
      <*> field "second" second codec
      <*> field "name" name codec
      <*> field "flag" flag codec
      <*> field "marks" marks codec
      <*> field "table" table codec
      <*> field "last'" last' codec

allFixed :: Format AllFixed
allFixed =
  record "AllFixed" $
    AllFixed
      <$> field "0" (\(AllFixed a _ _ _) -> a) codec
      <*> field "1" (\(AllFixed _ b _ _) -> b) codec
      <*> field "2" (\(AllFixed _ _ c _) -> c) codec
      <*> field "3" (\(AllFixed _ _ _ d) -> d) (both codec colour)

shape :: Format Shape
shape =
  variant "Shape" decide $
    constructor "Point" Point $
      alternative "Circle" Circle codec $
        alternative "Polygon" Polygon codec $
          alternative "Named" (uncurry Named) codec $
            alternative "Both" (uncurry Both) codec end
  where
    decide point circle polygon named two s = case s of
      Point -> point
      Circle r -> circle r
      Polygon ps -> polygon ps
      Named n x -> named (n, x)
      Both x y -> two (x, y)

colour :: Format Colour
colour =
  variant
    "Colour"
    decide
    ( constructor
        "Red"
        Red
        (constructor "Green" Green (constructor "Blue" Blue end))
    )
  where
    decide red green blue c = case c of
      Red -> red
      Green -> green
      Blue -> blue

tree :: Format (Tree Text)
tree =
  variant
    "Tree"
    decide
    ( constructor
        "Leaf"
        Leaf
        (alternative "Node" (\(l, (x, r)) -> Node l x r) (both codec (both codec codec)) end)
    )
  where
    decide leaf node t = case t of
      Leaf -> leaf
      Node l x r -> node (l, (x, r))

-- | Two numbers, the smaller one first.
data Range = Range {low :: Word16, high :: Word16}
  deriving stock (Eq, Show)
  deriving anyclass (Codec)

instance HasFormat Range where
  format =
    satisfying
      "an empty range"
      (\r -> low r <= high r)
      (record "Range" (Range <$> field "low" low codec <*> field "high" high codec))
  {-# INLINE format #-}

instance Arbitrary Range where
  arbitrary = (\a b -> Range (min a b) (max a b)) <$> arbitrary <*> arbitrary

data Expression = Literal Int | Sum [Expression] | Let Text Expression Expression
  deriving stock (Eq, Show)
  deriving anyclass (Codec)

instance HasFormat Expression where
  format =
    variant "Expression" decide $
      alternative "Literal" Literal codec $
        alternative "Sum" Sum codec $
          retired "Product" $
            alternative
              "Let"
              (\(x, e, b) -> Let x e b)
              ( record
                  ""
                  ( (,,)
                      <$> field "variable" (\(x, _, _) -> x) codec
                        <*> field "value" (\(_, e, _) -> e) codec
                        <*> field "body" (\(_, _, b) -> b) codec
                  )
              )
              end
    where
      decide literal sum' let' e = case e of
        Literal n -> literal n
        Sum es -> sum' es
        Let x a b -> let' (x, a, b)
  {-# INLINE format #-}

instance Arbitrary Expression where
  arbitrary = sized go
    where
      go n
        | n <= 1 = Literal <$> arbitrary
        | otherwise =
          oneof
            [ go 1,
              Sum <$> (choose (0, 3) >>= \k -> vectorOf k (go (n `div` 4))),
              Let . T.pack <$> arbitrary <*> go (n `div` 2) <*> go (n `div` 2)
            ]

-- Fields of variable and of constant size, mixed.
data Fields6 = Fields6 Word8 Text Word16 Bool Text Text
  deriving stock (Eq, Show, Generic)
  deriving anyclass (Codec)

arrangements :: Assertion
arrangements = do
  agree (Fields6 <$> a <*> b <*> c <*> d <*> e <*> f)
  -- Nested applications, associated to the left and to the right, of fields of either kind.
  agree
    ( (\(x, y) (z, u) (v, w) -> Fields6 x y z u v w)
        <$> ((,) <$> a <*> b) <*> ((,) <$> c <*> d) <*> ((,) <$> e <*> f)
    )
  agree
    ( (\x (y, z, (u, (v, w))) -> Fields6 x y z u v w)
        <$> a <*> ((,,) <$> b <*> c <*> ((,) <$> d <*> ((,) <$> e <*> f)))
    )
  agree
    ( (\((x, y, z), u) (v, w) -> Fields6 x y z u v w)
        <$> ((,) <$> ((,,) <$> a <*> b <*> c) <*> d) <*> (pure (,) <*> e <*> f)
    )
  agree
    ( pure (\_ x y z u v w -> Fields6 x y z u v w)
        <*> pure ()
        <*> a
        <*> b
        <*> c
        <*> d
        <*> e
        <*> f
    )
  agree (a' *> (Fields6 <$> a <*> b <*> c <*> d <*> e <*> f <* a'))
  where
    value = Fields6 1 "two" 3 True "" "six"
    agree fields = do
      let g = record "Fields6" fields
      toStrictByteString (formatPut g value) @?= encode value
      formatSize g value @?= encodedSize value
      runGet (formatGet g) (encode value) @?= Right value
      leastSize (formatLayout g) @?= leastSize (layout :: Layout Fields6)
      mapM_
        ( \n ->
            either
              (const (Right ()))
              (const (Left n))
              (runGet (formatGet g) (S.take n (encode value)))
              @?= Right ()
        )
        [0 .. encodedSize value - 1]
    -- A field of no bytes.
    a' = field "nothing" (const ()) codec
    a = field "a" (\(Fields6 x _ _ _ _ _) -> x) codec
    b = field "b" (\(Fields6 _ x _ _ _ _) -> x) codec
    c = field "c" (\(Fields6 _ _ x _ _ _) -> x) codec
    d = field "d" (\(Fields6 _ _ _ x _ _) -> x) codec
    e = field "e" (\(Fields6 _ _ _ _ x _) -> x) codec
    f = field "f" (\(Fields6 _ _ _ _ _ x) -> x) codec

constants :: Assertion
constants = do
  described (layout @Range) @?= (True, 4)
  described (formatLayout (bijection not not codec)) @?= (True, 1)
  described (formatLayout (constant 'x' codec)) @?= (True, 4)
  described (formatLayout (satisfying "" (/= T.empty) codec)) @?= (False, 8)
  described (formatLayout shape) @?= (False, 1)

refusals :: Assertion
refusals = do
  refused
    (decode (encode (2 :: Word16, 1 :: Word16)) :: Either DecodeError Range)
    0
    ["Range"]
    "an empty range"
  refused
    ( decode (encode ("x" :: Text) <> encode (2 :: Word16, 1 :: Word16)) ::
        Either DecodeError (Text, Range)
    )
    9
    ["(,).2"]
    "an empty range"
  refused
    (decode "\2" :: Either DecodeError Expression)
    0
    ["Expression"]
    "constructor Product, which is no longer in use"
  refused
    (decode "\4" :: Either DecodeError Expression)
    0
    ["Expression"]
    "constructor tag 4, but Expression has 4 constructors (tags 0 to 3)"
  refused
    (runGet (formatGet colour) "\3")
    0
    ["Colour"]
    "constructor tag 3, but Colour has 3 constructors (tags 0 to 2)"
  refused (runGet (formatGet (constant (2 :: Word8) codec)) "\3") 0 [] "3 instead of 2"
  refused
    ( runGet
        (formatGet (refined id (\t -> if T.null t then Left "empty" else Right t) codec))
        (encode T.empty)
    )
    0
    []
    "empty"
  encode (Let "" (Literal 1) (Literal 2))
    @?= "\3" <> encode T.empty <> "\0" <> encode (1 :: Int) <> "\0" <> encode (2 :: Int)

refused :: (Eq a, Show a) => Either DecodeError a -> Int -> [String] -> String -> Assertion
refused r offset path message = brief r @?= Left (fromIntegral offset, path, Invalid message)
