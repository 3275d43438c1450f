{-# LANGUAGE DeriveAnyClass #-}
{-# LANGUAGE DeriveGeneric #-}
{-# LANGUAGE DerivingStrategies #-}
{-# LANGUAGE OverloadedStrings #-}
{-# LANGUAGE ScopedTypeVariables #-}

-- |
-- Module      : Tests.Paths
-- Description : Paths in the errors of instances, and the depth of values
module Tests.Paths (tests) where

import Ashlar.Codec
import Ashlar.Codec.Combinators
import Ashlar.Get
import Ashlar.Get.Feed
import qualified Ashlar.Internal.Codec.Class as Class
import Control.Applicative
import Control.Monad (forM_)
import qualified Data.ByteString as S
import qualified Data.ByteString.Lazy as L
import Data.Int (Int32)
import Data.Map (Map)
import qualified Data.Map as Map
import qualified Data.Set as Set
import Data.Text (Text)
import qualified Data.Tree as T
import qualified Data.Vector as V
import Data.Word (Word8)
import GHC.Generics (Generic)
import System.IO.Unsafe (unsafePerformIO)
import Test.Tasty
import Test.Tasty.HUnit
import Test.Tasty.QuickCheck hiding (Fixed, elements, getFixed, label, labels, variant, within)
import qualified Test.Tasty.QuickCheck as QC
import Tests.Derived (Colour (..), Doubled, Eight, Inside, Shape (..), Tree (..), Twice, Wrapped)
import Tests.Failures
import Tests.Splits

tests :: TestTree
tests =
  testGroup
    "paths"
    [ testProperty "every way to run says the same" everyWay,
      testProperty "of fields far inside of one span, in chunks" cutSpans,
      testCase "of derived instances" derived,
      testCase "of fields in one span" together,
      testCase "of instances by hand" handWritten,
      testCase "of elements" elements,
      testCase "with labels" labels,
      testCase "after alternatives" alternatives,
      testCase "of a deeply nested value are short" short,
      testCase "values nested too deeply" deep,
      testCase "empty fields that are refused" ofNoSize,
      testCase "exactly as deep as the budget allows" exactly,
      testCase "depth after alternatives" restored
    ]

data Order = Order
  { customer :: Text,
    items :: [Item],
    paid :: Bool,
    size' :: Size,
    next :: Maybe Order
  }
  deriving stock (Eq, Show, Generic)
  deriving anyclass (Codec)

data Item = Item {title :: Text, price :: Int32, colour :: Colour}
  deriving stock (Eq, Show, Generic)
  deriving anyclass (Codec)

-- Of constant size.
data Size = Size {width :: Word8, height :: Int32, rotated :: Bool}
  deriving stock (Eq, Show, Generic)
  deriving anyclass (Codec)

-- By hand: fields as in 'Item', a record as 'Size', and a sum.
data Reading = Reading {station :: Text, celsius :: Int32, box :: Size, shape :: Form}
  deriving stock (Eq, Show)
  deriving anyclass (Codec)

instance HasFormat Reading where
  format =
    record "Reading" $
      Reading
        <$> field "station" station codec
        <*> field "celsius" celsius (satisfying "too cold" (>= -273) codec)
        <*> field
          "box"
          box
          ( record
              "Size"
              ( Size
                  <$> field "w" width codec <*> field "h" height codec <*> field "r" rotated codec
              )
          )
        <*> field "shape" shape codec
  {-# INLINE format #-}

data Form = Dot | Line Bool | Group Text Form
  deriving stock (Eq, Show)
  deriving anyclass (Codec)

instance HasFormat Form where
  format =
    variant "Form" decide $
      constructor "Dot" Dot $
        alternative "Line" Line codec $
          alternative "Group" (uncurry Group) codec end
    where
      decide dot line' group' f = case f of
        Dot -> dot
        Line b -> line' b
        Group t g -> group' (t, g)
  {-# INLINE format #-}

-- Nothing but lists.
newtype Lists = Lists [Lists]
  deriving stock (Eq, Show, Generic)
  deriving anyclass (Codec)

order :: Order
order =
  Order
    { customer = "Ada",
      items = [Item "tea" 3 Red, Item "milk" 2 Blue],
      paid = True,
      size' = Size 1 2 False,
      next = Just (Order "" [] False (Size 0 0 True) Nothing)
    }

-- Replace the byte at an offset.
setByte :: Int -> Word8 -> S.ByteString -> S.ByteString
setByte i w bs = S.take i bs <> S.singleton w <> S.drop (i + 1) bs

at :: forall a. Codec a => a -> S.ByteString -> Maybe (Int, [String])
at _ bs =
  either
    (\e -> Just (fromIntegral (errorOffset e), errorLabels e))
    (const Nothing)
    (decode bs :: Either DecodeError a)

-- Every way to run, on a truncated encoding and on one with a byte changed.
everyWay :: Property
everyWay =
  forAll (choose (0, S.length bytes - 1)) $ \i -> forAll (QC.elements [0, 2, 255]) $ \w ->
    conjoin [same (S.take i bytes), same (setByte i w bytes)]
  where
    bytes = encode (order, Reading "Oslo" 4 (Size 0 1 True) (Group "" (Line True)))
    same bs =
      let g = withBudget anyBytes (get <* endOfInput) :: Get (Order, Reading)
          anyBytes = defaultBudget {budgetBytes = Just maxBound}
          expected = runGet g bs
       in onFewSplits g bs expected

-- The error shows bytes of the field in which the input ends, and not only the first of the span.
cutSpans :: Property
cutSpans = once $ conjoin [same (S.take i bytes) | i <- [0 .. S.length bytes - 1]]
  where
    bytes = encode (Just [value, value])
    value = (1, 2, 3, 4, (5, 6, 7, 8)) :: Wide
    same bs = let g = get :: Get (Maybe [Wide]) in onFewSplits g bs (runGet g bs)

type Wide = (Int, Int, Int, Int, (Int, Int, Int, Int))

-- A decoder has this result on chunks of several sizes, however it is run.
onFewSplits :: (Eq a, Show a) => Get a -> S.ByteString -> Either DecodeError a -> Property
onFewSplits g bs expected =
  conjoin
    [ counterexample (show n) $
        conjoin
          [ runGetLazy g (L.fromChunks chunks) === expected,
            fromChunks g chunks === expected,
            pushed (pushEndOfInput (foldl pushChunk (runGetIncremental g) chunks)) === expected,
            fed g chunks === expected
          ]
      | n <- [1, 7, 16, 17, 40, 64, 1000],
        let chunks = cut n bs
    ]
  where
    pushed d = case d of
      Fail _ _ e -> Left e
      Done _ _ a -> Right a
      Partial _ -> errorWithoutStackTrace "not ended"
    cut n rest
      | S.null rest = []
      | otherwise = S.take n rest : cut n (S.drop n rest)

-- In push mode, with these chunks.
fed :: Get a -> [S.ByteString] -> Either DecodeError a
fed g chunks = unsafePerformIO $ do
  f <- newFeed g >>= \f0 -> go f0 chunks
  ended <- feedEndOfInput f
  case ended of
    FeedFail _ _ e -> pure (Left e)
    FeedDone _ _ a -> pure (Right a)
    FeedPartial _ -> errorWithoutStackTrace "not ended"
  where
    go f bss = case bss of
      [] -> pure f
      bs : more -> feed f bs >>= \f' -> go f' more
{-# NOINLINE fed #-}

-- Order: 8+3 customer; 8 items; 8+3+4+1, 8+4+4+1; paid at 52; size' at 53 to 58; next's tag at 59.
derived :: Assertion
derived = do
  let bytes = encode order
  at order (setByte 34 7 bytes) @?= Just (34, ["Order.items[0].colour"])
  at order (S.take 45 bytes) @?= Just (43, ["Order.items[1].title"])
  at order (setByte 51 7 bytes) @?= Just (51, ["Order.items[1].colour"])
  at order (S.take 49 bytes) @?= Just (47, ["Order.items[1].price"])
  at order (setByte 52 7 bytes) @?= Just (52, ["Order.paid"])
  at order (setByte 58 7 bytes) @?= Just (58, ["Order.size'.rotated"])
  at order (setByte 59 7 bytes) @?= Just (59, ["Order.next"])
  -- A nested value leaves the path as it was.
  at order (S.take (S.length bytes - 1) bytes) @?= Just (83, ["Order.next.Just.next"])
  at (1 :: Word8, "a" :: Text) (encode (1 :: Word8, "abc" :: S.ByteString) <> "\255")
    @?= Just (12, [])
  at (1 :: Word8, "a" :: Text) (encode (1 :: Word8, "a\255" :: S.ByteString))
    @?= Just (10, ["(,).2"])
  at (Just 'x') "\2" @?= Just (0, ["Maybe"])

together :: Assertion
together = do
  -- The errors are as if each field were read by itself.
  let cutAt n = brief (decode (S.take n (encode (Size 1 2 False))) :: Either DecodeError Size)
  cutAt 0 @?= Left (0, ["Size.width"], MissingInput 1 0)
  cutAt 1 @?= Left (1, ["Size.height"], MissingInput 4 0)
  cutAt 4 @?= Left (1, ["Size.height"], MissingInput 4 3)
  cutAt 5 @?= Left (5, ["Size.rotated"], MissingInput 1 0)
  -- The bytes found are those of the field.
  either errorFound (const "") (decode "\1ab" :: Either DecodeError Size) @?= "ab"
  brief (decode "\1\0\0\0\0\5" :: Either DecodeError Size)
    @?= Left (5, ["Size.rotated"], Invalid "a Bool is 0 or 1, not 5")

handWritten :: Assertion
handWritten = do
  let bytes = encode reading
      reading = Reading "Oslo" 4 (Size 0 1 True) (Group "" (Line True))
  at reading (S.take 3 bytes) @?= Just (0, ["Reading.station"])
  at reading (S.take 14 bytes) @?= Just (12, ["Reading.celsius"])
  at reading (setByte 15 255 bytes) @?= Just (12, ["Reading.celsius"])
  at reading (setByte 21 9 bytes) @?= Just (21, ["Reading.box.r"])
  at reading (setByte 22 9 bytes) @?= Just (22, ["Reading.shape"])
  at reading (setByte 31 9 bytes) @?= Just (31, ["Reading.shape.Group.2"])
  at reading (setByte 32 9 bytes) @?= Just (32, ["Reading.shape.Group.2.Line"])

elements :: Assertion
elements = do
  at [True] (encode [0, 1, 2 :: Word8]) @?= Just (10, ["[2]"])
  at (V.fromList [Red]) (encode (replicate 100 (0 :: Word8) ++ [7])) @?= Just (108, ["[100]"])
  at [Size 1 2 True] (setByte 25 9 (encode (replicate 5 (Size 1 2 True))))
    @?= Just (25, ["[2].rotated"])
  at ["" :: Text] (S.take 20 (encode ["", "abc" :: Text])) @?= Just (16, ["[1]"])
  at [["" :: Text]] (encode [[], ["a", "\255" :: S.ByteString]]) @?= Just (41, ["[1][1]"])
  at (Map.fromList [(1 :: Int, True)]) (encode [(1 :: Int, 2 :: Word8)]) @?= Just (16, ["[0]"])
  at (Map.fromList [(1 :: Word8, True)]) (encode [(i :: Word8, min i 3) | i <- [0 .. 9]])
    @?= Just (13, ["[2]"])
  at (Set.fromList ["" :: Text]) (encode ["a", "b", "a", "c" :: Text]) @?= Just (26, ["[2]"])
  at (T.Node 'a' []) (setByte 15 1 (encode (T.Node 'a' [T.Node 'b' []])))
    @?= Just (12, ["Tree.subForest[0].rootLabel"])

labels :: Assertion
labels = do
  let g = label "outer" ((,) <$> getWord8 <*> label "inner" (get :: Get Order))
  brief (runGet g ("x" <> S.take 45 (encode order)))
    @?= Left (44, ["Order.items[1].title", "inner", "outer"], MissingInput 4 2)

alternatives :: Assertion
alternatives = do
  let bad = setByte 51 7 (encode order)
  -- The error is that of the alternative that got farthest, whatever was tried after it.
  brief (runGet ((Just <$> (get :: Get Order)) <|> (Nothing <$ byteOf 9)) bad)
    @?= Left (51, ["Order.items[1].colour"], colourError)
  brief (runGet ((Nothing <$ byteOf 9) <|> (Just <$> (get :: Get Order))) bad)
    @?= Left (51, ["Order.items[1].colour"], colourError)
  brief
    ( runGet
        (many (get :: Get Item) <* endOfInput)
        (setByte 32 7 (encode (Item "tea" 3 Red) <> encode (Item "milk" 2 Blue)))
    )
    @?= Left (32, ["Item.colour"], colourError)
  -- An alternative that fails leaves the path as it was.
  let others = [S.cons t more | t <- 0 : [2 .. 9], more <- ["", "ab", encode ("a" :: Text) <> "\9"]]
  forM_ others $ \bs ->
    brief (runGet (() <$ (get :: Get Either')) ("\1" <> bs))
      @?= Left (1, ["Either'.second"], Unexpected)
  -- So does one that looks at a value of no bytes.
  brief (runGet (() <$ (get :: Get Looked)) "\1\2") @?= Left (1, ["Looked.looks"], Invalid "bad")
  forM_ ["\9", "\3ab", "\2\1"] $ \bs ->
    brief (runGet (() <$ (get :: Get [Bare])) (encode (3 :: Int) <> "\1" <> bs))
      @?= Left (9, ["[1]"], Unexpected)
  where
    byteOf w = satisfy (== (w :: Word8))
    colourError = Invalid "constructor tag 7, but Colour has 3 constructors (tags 0 to 2)"

-- A field whose decoder tries a derived type first.
data Either' = Either' {first' :: Word8, second :: Tried}
  deriving stock (Generic)
  deriving anyclass (Codec)

data Tried = Tried

instance Codec Tried

instance HasFormat Tried where
  format =
    byHand
      1
      (const 1)
      mempty
      ( lookAhead ((Tried <$ (get :: Get Shape)) <|> pure Tried)
          <* satisfy (== 1)
      )

-- After a field that tries a value with a field of no bytes.
data Looked = Looked {looks :: Looks, after :: Word8}
  deriving stock (Generic)
  deriving anyclass (Codec)

data Looks = Looks

newtype Empty' = Empty' ()
  deriving stock (Generic)
  deriving anyclass (Codec)

instance Class.Codec Looks where
  layout = Class.Var 1
  size _ = 1
  put _ = mempty
  get = (Looks <$ ((get :: Get Empty') *> empty)) <|> (getWord8 *> fail "bad")

-- The same, without a level of its own.
data Bare = Bare

instance Class.Codec Bare where
  layout = Class.Var 1
  size _ = 1
  put _ = mempty
  get = lookAhead ((Bare <$ (get :: Get Shape)) <|> pure Bare) <* satisfy (== 1)

short :: Assertion
short = do
  let nest n = if n == 0 then Point else Named "a" (nest (n - 1 :: Int))
  case decode (S.init (encode (nest 50000))) :: Either DecodeError Shape of
    Left e -> do
      map (take 12) (errorLabels e) @?= ["Shape.Named."]
      assertBool (show (errorLabels e)) (length (concat (errorLabels e)) < 1000)
    Right _ -> assertFailure "decoded"

deep :: Assertion
deep = do
  refused (get :: Get Shape) (S.replicate 1000000 4)
  refused (get :: Get (Tree Word8)) (S.replicate 1000000 1)
  refused (get :: Get Lists) (S.concat (replicate 150000 (encode (1 :: Int))))
  refused (get :: Get Form) (S.concat (replicate 150000 ("\2" <> encode ("" :: Text))))
  refused (get :: Get (T.Tree ())) (S.concat (replicate 150000 (encode (1 :: Int))))
  -- Types without finite values. Computing their layouts must terminate.
  refused (get :: Get Inside) ""
  refused (get :: Get Wrapped) ""
  refused (get :: Get (Doubled Word8)) ""
  refused (get :: Get Eight) (S.replicate 1000000 0)
  refused (get :: Get Twice) ""
  where
    refused g bs = do
      isTooDeep (() <$ runGet g bs)
      isTooDeep (() <$ runGetLazy g (L.fromChunks [bs]))
      isTooDeep (() <$ fromChunks g [bs])
      case pushChunk (runGetIncremental g) bs of
        Fail _ _ e -> isTooDeep (Left e)
        _ -> assertFailure "not failed"
    isTooDeep r = reasonOf r @?= Just (tooDeep 100000)

-- After a span, after a field of variable size, and in a constructor of constant size. The offset
-- does not tell which field it was.
ofNoSize :: Assertion
ofNoSize = do
  wrong (briefly (get :: Get AfterSpan) (S.replicate 40 0)) (10, ["AfterSpan.last4"])
  wrong (briefly (get :: Get AfterVariable) (S.replicate 40 0)) (8, ["AfterVariable.second2"])
  wrong
    (briefly (get :: Get InConstant) (S.cons 1 (S.replicate 40 0)))
    (3, ["InConstant.Constant2"])
  where
    briefly g bs =
      ( brief (() <$ runGet g bs),
        brief (() <$ runGetLazy g (L.fromChunks (map S.singleton (S.unpack bs))))
      )
    wrong got (offset, path) =
      got @?= (Left (offset, path, Invalid "no value"), Left (offset, path, Invalid "no value"))

data Refusing = Refusing

instance Codec Refusing

instance HasFormat Refusing where
  format = fixed refusing

refusing :: Fixed Refusing
refusing = fixedChecked (\Refusing -> ()) (const (Left "no value")) (fixedUnit ())

data AfterSpan = AfterSpan
  { first1 :: [Word8],
    second1 :: Word8,
    third1 :: Word8,
    unit1 :: (),
    last4 :: Refusing
  }
  deriving stock (Generic)
  deriving anyclass (Codec)

data AfterVariable = AfterVariable {first2 :: [Word8], second2 :: Refusing, third2 :: [Word8]}
  deriving stock (Generic)
  deriving anyclass (Codec)

data InConstant = Constant1 | Constant2 Word8 Word8 Refusing
  deriving stock (Generic)
  deriving anyclass (Codec)

exactly :: Assertion
exactly = do
  let nest n = if n == 0 then Point else Named "a" (nest (n - 1 :: Int))
      within n = defaultBudget {budgetDepth = n}
  decodeWith (within 7) (encode (nest 7)) @?= Right (nest 7)
  reasonOf (decodeWith (within 6) (encode (nest 7)) :: Either DecodeError Shape)
    @?= Just (tooDeep 6)
  decodeLazyWith (within 7) (encodeLazy (nest 7)) @?= Right (nest 7)
  reasonOf (decodeLazyWith (within 6) (encodeLazy (nest 7)) :: Either DecodeError Shape)
    @?= Just (tooDeep 6)
  -- The levels of adjacent values do not add up.
  decodeWith (within 3) (encode (replicate 500 (nest 2))) @?= Right (replicate 500 (nest 2))
  decodeWith (within 2) (encode (Map.fromList [(i, nest 1) | i <- [1 .. 500 :: Int]]))
    @?= Right (Map.fromList [(i, nest 1) | i <- [1 .. 500]] :: Map Int Shape)

-- A failure leaves the levels that were entered before it.
restored :: Assertion
restored = do
  let nest n = if n == 0 then Point else Named "a" (nest (n - 1 :: Int))
      within n = runGetWith defaultBudget {budgetDepth = n}
      bytes = encode (nest 3)
      bad = (get :: Get Shape) *> empty
  within 3 (bad <|> bad <|> (get <* endOfInput)) bytes @?= Right (nest 3)
  within 3 (lookAhead (get :: Get Shape) *> get) bytes @?= Right (nest 3)
  within 3 (notFollowedBy (bad :: Get Shape) *> get) bytes @?= Right (nest 3)
  within 3 (optional (attempt ((get :: Get Shape) *> commit *> bad)) *> get) (bytes <> bytes)
    @?= Right (nest 3)
  -- A value that fails ends 'many', which is back at its own level.
  within 3 ((,) <$> many (get :: Get Shape) <*> (getWord8 *> getWord8)) (bytes <> "\3\9")
    @?= Right ([nest 3], 9)
  -- One that fails where the budget is used up.
  let broken = S.init bytes <> "\9"
      other = skip (S.length broken) *> (get :: Get Shape)
  within 3 (get <|> other) (broken <> bytes) @?= Right (nest 3)
  within 3 (many (get :: Get Shape) *> other) (broken <> bytes) @?= Right (nest 3)
  within 3 (notFollowedBy (get :: Get Shape) *> other) (broken <> bytes) @?= Right (nest 3)
  within
    3
    (withBudget defaultBudget {budgetDepth = 9} (get :: Get Shape) *> get)
    (encode (nest 8) <> bytes)
    @?= Right (nest 3)
