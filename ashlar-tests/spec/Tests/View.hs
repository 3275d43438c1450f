{-# LANGUAGE DataKinds #-}
{-# LANGUAGE DeriveAnyClass #-}
{-# LANGUAGE DeriveGeneric #-}
{-# LANGUAGE DerivingVia #-}
{-# LANGUAGE FlexibleContexts #-}
{-# LANGUAGE FlexibleInstances #-}
{-# LANGUAGE GeneralizedNewtypeDeriving #-}
{-# LANGUAGE OverloadedStrings #-}
{-# LANGUAGE ScopedTypeVariables #-}
{-# LANGUAGE StandaloneDeriving #-}
{-# LANGUAGE TypeApplications #-}

-- |
-- Module      : Tests.View
-- Description : Parts of values in place, against the values
--
-- That a view ends where its value ends, for every instance, is a law (@viewAgrees@).
module Tests.View (tests) where

import Ashlar.Builder (byteString)
import Ashlar.Codec
import Ashlar.Codec.Combinators (bijection, both)
import Ashlar.Codec.Laws
import Ashlar.Codec.Wrappers (BigEndian (..), Compact (..))
import qualified Ashlar.Codec.Wrappers as W
import Ashlar.Compat.Formats (BinaryFormat (..))
import Ashlar.Get (getWord8, runGet, runGetLazy, withBudget)
import Ashlar.Get.Parse (takeWhile)
import Ashlar.View (Container, Element, View)
import qualified Ashlar.View as View
import Control.Exception (ErrorCall, evaluate, try)
import Control.Monad (forM_)
import qualified Data.ByteString as S
import qualified Data.ByteString.Lazy as L
import Data.IntMap (IntMap)
import qualified Data.IntMap as IM
import qualified Data.IntSet as IS
import Data.List.NonEmpty (NonEmpty (..))
import Data.Map (Map)
import qualified Data.Map as M
import Data.Maybe (isJust)
import Data.Monoid (Sum (..))
import Data.Sequence (Seq)
import Data.Set (Set)
import Data.Text (Text)
import qualified Data.Vector as V
import Data.Word (Word16, Word64, Word8)
import GHC.Generics (Generic)
import GHC.Records (getField)
import System.Mem (getAllocationCounter, setAllocationCounter)
import System.Timeout (timeout)
import Test.Tasty
import Test.Tasty.HUnit
import Test.Tasty.QuickCheck
import Tests.Arbitrary ()
import Tests.Big (Big (..))
import Tests.Derived
import Prelude hiding (takeWhile)

tests :: TestTree
tests =
  testGroup
    "views"
    [ testProperty "fields of a record" fields,
      testProperty "fields as GHC.Records has them" $ \r ->
        got (getField @"flag" (viewOf r)) === Right (flag r),
      testProperty "fields of constant size" constants,
      testProperty "constructors and their fields" shapes,
      testProperty "a constructor of an enumeration" colours,
      testCase "a tag of no constructor" noColour,
      testProperty "the leaves of a tree" $ \t ->
        leaves (viewOf t) === Right (leavesOf (t :: Tree Int)),
      testGroup
        "elements"
        [ testProperty "list of constant size" (container @[Word16] id),
          testProperty "list of variable size" (container @[Text] id),
          testProperty "list of lists" (container @[[Word8]] id),
          testProperty "list of records" (container @[Record] id),
          testProperty "NonEmpty" (\x xs -> container @(NonEmpty Text) (foldr (:) []) (x :| xs)),
          testProperty "Vector" (container @(V.Vector Shape) V.toList),
          testProperty "Seq" (container @(Seq Int) (foldr (:) [])),
          testProperty "Set" (container @(Set Text) (foldr (:) [])),
          testProperty "Map" (container @(Map Int Bool) M.toList),
          testProperty "Map of variable size" (container @(Map Text Shape) M.toList),
          testProperty "IntMap" (container @(IntMap Text) IM.toList)
        ],
      testProperty "lookup, by bisection" (lookups @Int @Word16),
      testProperty "lookup, one after the other" (lookups @Text @Shape),
      testProperty "sets, and keys that are Int" $ \m ->
        forAll (elements (0 : M.keys m)) (otherKeys m),
      testProperty "a view inside of a value" inside,
      testProperties "the instance" (codecLawsFor records),
      testCase "a format of its own is refused" own,
      testCase "newtypes whose instance is via another type are refused" others,
      testCase "newtypes with the bytes of their fields" ownBytes,
      testCase "a constructor of more than 256" $ do
        View.constructorName (viewOf Big257) @?= Just "Big257"
        isJust (View.constructor @"Big257" (viewOf Big257)) @?= True
        isJust (View.constructor @"Big257" (viewOf Big0)) @?= False,
      testCase "after a Compact newtype of a newtype" compactNewtypes,
      testCase "out of bounds: an instance via other parameters of the type" via,
      testCase "out of bounds: sizes beyond any memory" beyond,
      testCase "a decoder that looks ahead, in chunks" lookingAhead,
      testCase "damage is found where it is decoded" damage,
      testCase "checked finds it at once" damageChecked,
      testCase "nested too deeply" deep,
      testCase "elements without bytes" empties,
      testCase "decoders by hand share a budget" shared,
      testCase "a view of more than the default budgets allow" raisedBudgets,
      testCase "nested views in chunks take linear time" nestedViews,
      testCase "a walk over many elements can be interrupted" interruptible
    ]

viewOf :: Codec a => a -> View a
viewOf x = either (error . show) id (View.view (encode x))

got :: Codec a => View a -> Either DecodeError a
got = View.decodeView

fields :: Record -> Property
fields r =
  conjoin
    [ got (View.field @"first" v) === Right (first r),
      got (View.field @"second" v) === Right (second r),
      got (View.field @"name" v) === Right (name r),
      got (View.field @"flag" v) === Right (flag r),
      got (View.field @"marks" v) === Right (marks r),
      got (View.field @"table" v) === Right (table r),
      got (View.field @"last'" v) === Right (last' r),
      got (View.position @7 v) === Right (last' r),
      View.viewBytes (View.field @"table" v) === encode (table r)
    ]
  where
    v = viewOf r

constants :: AllFixed -> Property
constants x@(AllFixed a b c (d, e)) =
  got (View.position @1 v) === Right a
    .&&. got (View.position @2 v) === Right b
    .&&. got (View.position @3 v) === Right c
    .&&. got (View.position @1 (View.position @4 v)) === Right d
    .&&. got (View.position @2 (View.position @4 v)) === Right e
  where
    v = viewOf x

shapes :: Shape -> Property
shapes s = case s of
  Point -> named "Point"
  Circle r -> named "Circle" .&&. one (got . View.position @1 <$> View.constructor @"Circle" v) r
  Polygon ps ->
    named "Polygon" .&&. one (got . View.position @1 <$> View.constructor @"Polygon" v) ps
  Named t s' -> named "Named" .&&. two (View.constructor @"Named" v) t s'
  Both a b -> named "Both" .&&. two (View.constructor @"Both" v) a b
  where
    v = viewOf s
    named n =
      View.constructorName v === Just n
        .&&. isJust (View.constructor @"Circle" v) === (n == "Circle")
    one found x = found === Just (Right x)
    two found a b =
      (got . View.position @1 <$> found) === Just (Right a)
        .&&. (got . View.position @2 <$> found) === Just (Right b)

colours :: Colour -> Property
colours c =
  View.constructorName (viewOf c) === Just (show c)
    .&&. isJust (View.constructor @"Green" (viewOf c)) === (c == Green)

noColour :: Assertion
noColour = do
  let v = either (error . show) id (View.view "\99") :: View Colour
  View.constructorName v @?= Nothing
  isJust (View.constructor @"Green" v) @?= False

leaves :: View (Tree Int) -> Either DecodeError Int
leaves v = case View.constructor @"Node" v of
  Nothing -> Right 0
  Just node -> do
    l <- leaves (View.position @1 node)
    x <- got (View.position @2 node)
    r <- leaves (View.position @3 node)
    pure (l + x + r)

leavesOf :: Tree Int -> Int
leavesOf Leaf = 0
leavesOf (Node l x r) = leavesOf l + x + leavesOf r

container ::
  (Container c, Codec c, Show (Element c), Eq (Element c)) => (c -> [Element c]) -> c -> Property
container list c =
  conjoin
    [ View.count v === length xs,
      mapM got (View.elements v) === Right xs,
      View.foldElements (\n _ -> n + 1) 0 v === length xs,
      mapM got (View.foldElements (flip (:)) [] v) === Right (reverse xs),
      [fmap got (View.index i v) | i <- [-1 .. length xs]]
        === [Nothing] ++ map (Just . Right) xs ++ [Nothing]
    ]
  where
    v = viewOf c
    xs = list c

lookups :: (Ord k, Show k, Codec k, Codec v, Show v, Eq v) => Map k v -> k -> Property
lookups m k =
  conjoin
    [ (fmap got <$> View.lookup key v) === Right (Right <$> M.lookup key m) | key <- k : M.keys m
    ]
    .&&. mapM got (View.keys v) === Right (M.keys m)
    .&&. traverse (`View.member` v) (k : M.keys m) === Right (map (`M.member` m) (k : M.keys m))
  where
    v = viewOf m

-- Sets, and containers of 'Int' keys, search as maps do.
otherKeys :: Map Int Word16 -> Int -> Property
otherKeys m k =
  conjoin
    [ (fmap got <$> View.lookup k ints) === Right (Right <$> M.lookup k m),
      mapM got (View.keys ints) === Right (M.keys m),
      View.member k (viewOf (M.keysSet m)) === Right (M.member k m),
      View.member k (viewOf (IS.fromList (M.keys m))) === Right (M.member k m),
      mapM got (View.keys (viewOf (M.keysSet m))) === Right (M.keys m)
    ]
  where
    ints = viewOf (IM.fromList (M.toList m))

data Own = Own Word8 Word8
  deriving stock (Generic)
  deriving anyclass (Codec)

instance HasFormat Own where
  format = refined (\(Own a b) -> (b, a)) (\(b, a) -> Right (Own a b)) codec

-- The first field would be the second.
own :: Assertion
own = do
  result <- try (evaluate (View.viewBytes (View.position @1 (viewOf (Own 1 2)))))
  case result of
    Left e ->
      show (e :: ErrorCall)
        @?= "Ashlar.View: the type has a format of its own, so its fields are unknown"
    Right bs -> assertFailure (show bs)

-- The format of the other type is derived.
newtype Swapped = Swapped {swapped :: (Word16, Word16)}
  deriving stock (Generic)
  deriving (Codec) via (BigEndian Word16, BigEndian Word16)

newtype ByCompact = ByCompact (Compact [Word64])
  deriving stock (Generic)
  deriving anyclass (Codec)

newtype Counted = Counted {counted :: [Word64]}
  deriving stock (Generic)
  deriving (Codec) via ByCompact

newtype Wide = Wide {wide :: Text}
  deriving stock (Generic)
  deriving (Codec) via W.UTF16

newtype Theirs = Theirs {theirs :: [Word8]}
  deriving stock (Generic)
  deriving (Codec) via BinaryFormat [Word8]

others :: Assertion
others = do
  refusing (View.viewBytes (View.field @"swapped" (viewOf (Swapped (1, 2)))))
  refusing (View.viewBytes (View.field @"counted" (viewOf (Counted [1]))))
  refusing (View.viewBytes (View.field @"wide" (viewOf (Wide "ab"))))
  refusing (View.count (View.field @"theirs" (viewOf (Theirs [1]))))
  where
    refusing x = do
      result <- try (evaluate x)
      case result of
        Left e ->
          show (e :: ErrorCall)
            @?= "Ashlar.View: the type has a format of its own, so its fields are unknown"
        Right bs -> assertFailure (show bs)

-- The count of such a list does not show in its outline.
newtype Tags = Tags [Word8]
  deriving stock (Generic)
  deriving anyclass (Codec)
  deriving newtype (W.Counted)

newtype Labels = Labels Tags
  deriving stock (Generic)
  deriving anyclass (Codec)
  deriving newtype (W.Counted)

data Labelled = Labelled {labels :: Compact Labels, after' :: Word64, more' :: [Word8]}
  deriving stock (Generic)
  deriving anyclass (Codec)

compactNewtypes :: Assertion
compactNewtypes = forM_ [[], [7], [1 .. 200]] $ \ws -> do
  let v = viewOf (Labelled (Compact (Labels (Tags ws))) 9 [1, 2])
  View.decodeView (View.field @"after'" v) @?= Right 9
  View.decodeView (View.field @"more'" v) @?= Right [1, 2]

newtype Plain = Plain {plainly :: Two'}
  deriving stock (Generic)
  deriving newtype (Codec)

data Two' = Two' {first' :: Word8, second' :: [Word8]}
  deriving stock (Generic)
  deriving anyclass (Codec)

ownBytes :: Assertion
ownBytes = do
  let v = viewOf (Plain (Two' 1 [2, 3]))
  View.decodeView (View.field @"first'" (View.field @"plainly" v)) @?= Right 1
  View.decodeView (View.field @"second'" (View.field @"plainly" v)) @?= Right [2, 3]
  View.decodeView (View.field @"getSum" (viewOf (Sum (7 :: Word8)))) @?= Right 7

-- The view takes the bytes for those of other fields. It must not leave them.
-- (No newtype: of those, some bytes are tried.)
data Via a = Via a ()
  deriving stock (Generic)

instance Codec (Via (Compact [Word64]))

deriving via Via (Compact [Word64]) instance Codec (Via [Word64])

via :: Assertion
via = do
  let bytes = S.pack ([10] ++ replicate 6 255 ++ [127] ++ replicate 73 1)
      v = either (error . show) id (View.view bytes) :: View (Via [Word64])
      listed = View.position @1 v
  forM_ [2 ^ (61 :: Int) - 3, 2305843009213000000, 2 ^ (60 :: Int), 100] $ \i -> do
    result <- try (mapM evaluate (fmap got (View.index i listed)))
    case result of
      Left e ->
        show (e :: ErrorCall)
          @?= "Ashlar.View: the bytes have changed: was their memory written?"
      Right found -> assertFailure (show found)

-- The sum of the sizes of the fields overflows.
data Double' a = Double' a a

instance Codec a => Codec (Double' a)

instance Codec a => HasFormat (Double' a) where
  format = bijection (\(Double' x y) -> (x, y)) (uncurry Double') (both codec codec)

data Beyond a
  = Here a a a a a a a a a Text
  | Further (Beyond (Double' a))
  deriving stock (Generic)

instance Codec a => Codec (Beyond a)

beyond :: Assertion
beyond = forM_ [57 .. 63] $ \n -> do
  let bytes = S.replicate n 1 <> S.replicate 65 0
  assertBool (show n) (refused (View.view bytes :: Either DecodeError (View (Beyond Word8))))

-- The end of the value depends on what follows, not on where a chunk ends.
newtype Digits = Digits S.ByteString

instance Codec Digits

instance HasFormat Digits where
  format = fromPutGet 0 (\(Digits bs) -> byteString bs) (Digits <$> takeWhile (< 58))

lookingAhead :: Assertion
lookingAhead = forM_ [["x1234;"], ["x12", "34;"], ["x1", "2", "34;"]] $ \chunks -> do
  let parts = (,,) <$> getWord8 <*> (View.viewBytes <$> (get :: Get (View Digits))) <*> getWord8
  either (assertFailure . show) (@?= (120, "1234", 59)) (runGetLazy parts (L.fromChunks chunks))

-- A Bool of 2, and after it a text.
damaged :: S.ByteString
damaged = S.cons 2 (encode ("a" :: Text))

damage :: Assertion
damage = do
  let v = either (error . show) id (View.view damaged) :: View (Bool, Text)
  got (View.position @2 v) @?= Right "a"
  either (const (pure ())) (assertFailure . show) (got (View.position @1 v))

damageChecked :: Assertion
damageChecked = do
  let same = either errorOffset (const (-1))
  same (View.checked damaged :: Either DecodeError (View (Bool, Text))) @?= 0

-- Refused, as by decode, and without a stack overflow.
deep :: Assertion
deep = do
  let bytes = S.replicate 1000000 1
      lists = S.concat (replicate 300000 (encode (1 :: Int)))
  assertBool "left" (refused (View.view bytes :: Either DecodeError (View (Tree Int))))
  assertBool "in lists" (refused (View.view lists :: Either DecodeError (View (Rose ()))))

refused :: Either DecodeError a -> Bool
refused = either (const True) (const False)

-- Refused, as by decode: nobody waits for 2^60 elements.
empties :: Assertion
empties = do
  let bytes = encode (2 ^ (60 :: Int) :: Int)
  assertBool "()" (refused (View.view bytes :: Either DecodeError (View [()])))
  assertBool "[Proxy]" (refused (View.view bytes :: Either DecodeError (View [Unit])))
  View.count (viewOf (replicate 1000 ())) @?= 1000

newtype ByHand = ByHand [()]

instance Codec ByHand

instance HasFormat ByHand where
  format = fromPutGet 8 (\(ByHand xs) -> put xs) (ByHand <$> get)

-- Half of the steps for each: the third is refused.
shared :: Assertion
shared = forM_ [(2, False), (3, True)] $ \(n, expected) -> do
  let bytes = encode n <> S.concat (replicate n (encode (budgetSteps defaultBudget `div` 2)))
  refused (decode bytes :: Either DecodeError [ByHand]) @?= expected
  refused (View.view bytes :: Either DecodeError (View [ByHand])) @?= expected

records :: Samples (View Record)
records = Samples (View.viewOf <$> arbitrary) (const []) show (==)

-- A view in a value: the bytes are those of the value, and what is before and after is decoded.
inside :: Word8 -> Record -> Text -> Property
inside a r b =
  encode (a, View.viewOf r, b) === encode (a, r, b)
    .&&. encodedSize (View.viewOf r) === encodedSize r
    .&&. conjoin
      [ case decoded of
          Right (a', v, b') -> (a', b') === (a, b) .&&. got v === Right r .&&. v === View.viewOf r
          Left e -> counterexample (show e) False
        | decoded <- [decode bytes, decodeLazy (L.fromChunks (map S.singleton (S.unpack bytes)))]
      ]
  where
    bytes = encode (a, r, b)

data Units = Units {_units :: [()], after :: Word8}
  deriving stock (Generic)
  deriving anyclass (Codec)

data Deep = Deep {_deep :: Chain, behind :: Word8}
  deriving stock (Generic)
  deriving anyclass (Codec)

data Chain = End | Link Chain
  deriving stock (Generic)
  deriving anyclass (Codec)

-- They are no error where the value was passed over within a larger budget, or encoded here.
raisedBudgets :: Assertion
raisedBudgets = do
  let units = Units (replicate 2000000 ()) 7
      budget = defaultBudget {budgetSteps = 3000000}
      seen :: View Units -> (Either DecodeError Word8, Int)
      seen v = (View.decodeView (View.field @"after" v), S.length (View.viewBytes v))
  fmap seen (runGet (withBudget budget get) (encode units)) @?= Right (Right 7, 9)
  seen (View.viewOf units) @?= (Right 7, 9)
  let chain = Deep (iterate Link End !! 200000) 8
  View.decodeView (View.field @"behind" (View.viewOf chain)) @?= Right 8

-- Each level holds the bytes of all levels inside it: none may copy them.
data Layered = Layered (Compact [View Layered]) S.ByteString
  deriving stock (Generic)
  deriving anyclass (Codec)

nestedViews :: Assertion
nestedViews = do
  let levels = 40000
      bytes = S.replicate levels 1 <> "\0" <> S.replicate (8 * (levels + 1)) 0
      run = runGetLazy (get :: Get Layered) (L.fromChunks (pieces bytes))
  setAllocationCounter 0
  _ <- evaluate (either (error . show) (\(Layered _ end) -> S.length end) run)
  allocated <- negate <$> getAllocationCounter
  assertBool (show allocated) (allocated < 200000000)
  where
    pieces bs = if S.null bs then [] else S.take 32768 bs : pieces (S.drop 32768 bs)

-- There are too many to pass over in five milliseconds.
interruptible :: Assertion
interruptible = do
  let n = 40000000
  bytes <- evaluate (encode n <> S.replicate n 0)
  seen <- timeout 5000 (evaluate (View.view bytes :: Either DecodeError (View [Compact [Bool]])))
  isJust seen @?= False
