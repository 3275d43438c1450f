-- |
-- Module      : Tests.GetCereal
-- Description : Decoders against those of cereal
--
-- Random decoders and inputs show what is the same. Each difference that @docs/porting.md@ lists is
-- shown in both libraries.
module Tests.GetCereal (tests) where

import qualified Ashlar.Compat.Cereal as Ours
import qualified Ashlar.Compat.Cereal.IEEE754 as IEEE754
import Control.Applicative (empty, many, (<|>))
import Control.Exception (ArithException (..), evaluate, throw, try)
import Data.Array (Array, listArray)
import qualified Data.ByteString as S
import qualified Data.ByteString.Lazy as L
import qualified Data.ByteString.Short as SBS
import Data.Either (isLeft)
import Data.Foldable (for_)
import qualified Data.IntMap as IntMap
import qualified Data.IntSet as IntSet
import Data.List (isPrefixOf)
import qualified Data.Map as Map
import qualified Data.Sequence as Seq
import qualified Data.Serialize.Get as Theirs
import qualified Data.Serialize.IEEE754 as Theirs
import qualified Data.Serialize.Put as Theirs
import qualified Data.Set as Set
import Data.Tree (Tree (..))
import Data.Word (Word16, Word8)
import GHC.Float (castDoubleToWord64, castFloatToWord32)
import Test.Tasty
import Test.Tasty.HUnit
import Test.Tasty.QuickCheck
import Tests.Dialect

tests :: TestTree
tests =
  testGroup
    "Get, as in cereal"
    [ testGroup "each number, against cereal's" eachNumber,
      testGroup "containers, against cereal's" containers,
      testGroup "containers of any bytes, against cereal's" hostile,
      testProperty "programs on strict input, against cereal's" onStrict,
      testProperty "programs on strict input, with offsets" onStrictWithOffsets,
      testProperty "programs on lazy input, against cereal's" onLazy,
      testProperty "programs that are fed, against cereal's" whenFed,
      testCase "functions of the input that has arrived" arrived,
      testCase "runGetChunk: the announced length" announced,
      testCase "strings of a negative length" strings,
      testCase "runGetState, runGetLazyState" states,
      testCase "Result: Functor, Show, resumed more than once" results,
      testGroup
        "differences"
        [ testCase "the text of errors" texts,
          testCase "the input left by alternatives that fail" leftByFailures,
          testCase "bytesRead after lookAhead, and uncheckedSkip" offsets,
          testCase "unchecked decoders see all bytes of an isolate" inIsolate,
          testCase "lookAheadM when more input has come" lookedAhead,
          testCase "the end of an isolated part of lazy input" isolatedEnds,
          testCase "an isolated part of lazy input has no more than its bytes" isolatedBytes,
          testCase "lazy input is forced as the decoder gets there" forced,
          testCase "many ends where nothing is read" manyOfNothing,
          testCase "arrays have the size of their bounds" bounds,
          testCase "the depth of trees is limited" depth,
          testCase "the number of empty elements is limited" empties
        ]
    ]

ours :: Dialect Ours.Get
ours =
  Dialect
    { numbers =
        [ ("getFloat32le", toInteger . castFloatToWord32 <$> IEEE754.getFloat32le),
          ("getFloat32be", toInteger . castFloatToWord32 <$> IEEE754.getFloat32be),
          ("getFloat64le", toInteger . castDoubleToWord64 <$> IEEE754.getFloat64le),
          ("getFloat64be", toInteger . castDoubleToWord64 <$> IEEE754.getFloat64be),
          ("getWord8", toInteger <$> Ours.getWord8),
          ("getInt8", toInteger <$> Ours.getInt8),
          ("getWord16be", toInteger <$> Ours.getWord16be),
          ("getWord32be", toInteger <$> Ours.getWord32be),
          ("getWord64be", toInteger <$> Ours.getWord64be),
          ("getInt16be", toInteger <$> Ours.getInt16be),
          ("getInt32be", toInteger <$> Ours.getInt32be),
          ("getInt64be", toInteger <$> Ours.getInt64be),
          ("getWord16le", toInteger <$> Ours.getWord16le),
          ("getWord32le", toInteger <$> Ours.getWord32le),
          ("getWord64le", toInteger <$> Ours.getWord64le),
          ("getInt16le", toInteger <$> Ours.getInt16le),
          ("getInt32le", toInteger <$> Ours.getInt32le),
          ("getInt64le", toInteger <$> Ours.getInt64le),
          ("getWordhost", toInteger <$> Ours.getWordhost),
          ("getWord16host", toInteger <$> Ours.getWord16host),
          ("getWord32host", toInteger <$> Ours.getWord32host),
          ("getWord64host", toInteger <$> Ours.getWord64host)
        ],
      bytes = \n -> if even n then Ours.getByteString n else Ours.getBytes n,
      lazyBytes = Ours.getLazyByteString . fromIntegral,
      upToNul = empty,
      rest = empty,
      skipped = Ours.skip . max 0,
      offset = toInteger <$> Ours.bytesRead,
      left = toInteger <$> Ours.remaining,
      atEnd = Ours.isEmpty,
      isolated = Ours.isolate,
      named = Ours.label,
      ahead = Ours.lookAhead,
      aheadM = Ours.lookAheadM,
      aheadE = Ours.lookAheadE
    }

theirs :: Dialect Theirs.Get
theirs =
  Dialect
    { numbers =
        [ ("getFloat32le", toInteger . castFloatToWord32 <$> Theirs.getFloat32le),
          ("getFloat32be", toInteger . castFloatToWord32 <$> Theirs.getFloat32be),
          ("getFloat64le", toInteger . castDoubleToWord64 <$> Theirs.getFloat64le),
          ("getFloat64be", toInteger . castDoubleToWord64 <$> Theirs.getFloat64be),
          ("getWord8", toInteger <$> Theirs.getWord8),
          ("getInt8", toInteger <$> Theirs.getInt8),
          ("getWord16be", toInteger <$> Theirs.getWord16be),
          ("getWord32be", toInteger <$> Theirs.getWord32be),
          ("getWord64be", toInteger <$> Theirs.getWord64be),
          ("getInt16be", toInteger <$> Theirs.getInt16be),
          ("getInt32be", toInteger <$> Theirs.getInt32be),
          ("getInt64be", toInteger <$> Theirs.getInt64be),
          ("getWord16le", toInteger <$> Theirs.getWord16le),
          ("getWord32le", toInteger <$> Theirs.getWord32le),
          ("getWord64le", toInteger <$> Theirs.getWord64le),
          ("getInt16le", toInteger <$> Theirs.getInt16le),
          ("getInt32le", toInteger <$> Theirs.getInt32le),
          ("getInt64le", toInteger <$> Theirs.getInt64le),
          ("getWordhost", toInteger <$> Theirs.getWordhost),
          ("getWord16host", toInteger <$> Theirs.getWord16host),
          ("getWord32host", toInteger <$> Theirs.getWord32host),
          ("getWord64host", toInteger <$> Theirs.getWord64host)
        ],
      bytes = \n -> if even n then Theirs.getByteString n else Theirs.getBytes n,
      lazyBytes = Theirs.getLazyByteString . fromIntegral,
      upToNul = empty,
      rest = empty,
      skipped = Theirs.skip . max 0,
      offset = toInteger <$> Theirs.bytesRead,
      left = toInteger <$> Theirs.remaining,
      atEnd = Theirs.isEmpty,
      isolated = Theirs.isolate,
      named = Theirs.label,
      ahead = Theirs.lookAhead,
      aheadM = Theirs.lookAheadM,
      aheadE = Theirs.lookAheadE
    }

-- Without look-ahead, after which cereal's offset or its input is wrong.
straight :: Dialect m -> Dialect m
straight d = d {ahead = id, aheadM = id, aheadE = id}

eachNumber :: [TestTree]
eachNumber =
  [ testProperty name $
      forAll chunks $ \ps ->
        rightOf (Ours.runGetLazyState (many mine) (L.fromChunks ps))
          === rightOf (Theirs.runGetLazyState (many his) (L.fromChunks ps))
    | ((name, mine), (_, his)) <- zip (numbers ours) (numbers theirs)
  ]

rightOf :: Either e a -> Maybe a
rightOf = either (const Nothing) Just

-- Encodings that cereal wrote.
containers :: [TestTree]
containers =
  [ same "getTwoOf" arbitrary (Theirs.putTwoOf w8' w16') (Ours.getTwoOf w8 w16),
    same "getListOf" arbitrary (Theirs.putListOf w16') (Ours.getListOf w16),
    same
      "getIArrayOf"
      (array <$> arbitrary)
      (Theirs.putIArrayOf w16' w8')
      (Ours.getIArrayOf w16 w8),
    same "getSeqOf" (Seq.fromList <$> arbitrary) (Theirs.putSeqOf w16') (Ours.getSeqOf w16),
    same "getTreeOf" (sized tree) (Theirs.putTreeOf w16') (Ours.getTreeOf w16),
    same "getMapOf" (Map.fromList <$> arbitrary) (Theirs.putMapOf w16' w8') (Ours.getMapOf w16 w8),
    same
      "getIntMapOf"
      (IntMap.fromList . map small <$> arbitrary)
      (Theirs.putIntMapOf int' w8')
      (Ours.getIntMapOf int w8),
    same "getSetOf" (Set.fromList <$> arbitrary) (Theirs.putSetOf w16') (Ours.getSetOf w16),
    same
      "getIntSetOf"
      (IntSet.fromList . map fromW <$> arbitrary)
      (Theirs.putIntSetOf int')
      (Ours.getIntSetOf int),
    same "getMaybeOf" arbitrary (Theirs.putMaybeOf w16') (Ours.getMaybeOf w16),
    same "getEitherOf" arbitrary (Theirs.putEitherOf w16' w8') (Ours.getEitherOf w16 w8),
    same
      "getNested"
      arbitrary
      (Theirs.putNested int' . Theirs.putListOf w16')
      (Ours.getNested int (Ours.getListOf w16))
  ]
  where
    same :: (Eq a, Show a) => String -> Gen a -> (a -> Theirs.Put) -> Ours.Get a -> TestTree
    same name gen put get =
      testProperty name $ forAll gen $ \x -> Ours.runGet get (Theirs.runPut (put x)) === Right x
    array :: [Word8] -> Array Word16 Word8
    array xs = listArray (3, fromIntegral (length xs) + 2) xs
    small (k, x) = (fromW k, x)
    fromW :: Word16 -> Int
    fromW = fromIntegral
    tree :: Int -> Gen (Tree Word16)
    tree n =
      Node
        <$> arbitrary
          <*> (choose (0, 4) >>= \k -> vectorOf (if n <= 1 then 0 else k) (tree (n `div` 4)))

-- Any bytes. Most are zero, so that lists are short.
hostile :: [TestTree]
hostile =
  [ same "getListOf" (Ours.getListOf w16) (Theirs.getListOf Theirs.getWord16le),
    same "getSeqOf" (Ours.getSeqOf w16) (Theirs.getSeqOf Theirs.getWord16le),
    same "getTreeOf" (Ours.getTreeOf w8) (Theirs.getTreeOf Theirs.getWord8),
    same "getMapOf" (Ours.getMapOf w8 w8) (Theirs.getMapOf Theirs.getWord8 Theirs.getWord8),
    same
      "getIntMapOf"
      (Ours.getIntMapOf (fromIntegral <$> w8) w8)
      (Theirs.getIntMapOf (fromIntegral <$> Theirs.getWord8) Theirs.getWord8),
    same "getSetOf" (Ours.getSetOf w8) (Theirs.getSetOf Theirs.getWord8),
    same
      "getIntSetOf"
      (Ours.getIntSetOf (fromIntegral <$> w8))
      (Theirs.getIntSetOf (fromIntegral <$> Theirs.getWord8)),
    same "getMaybeOf" (Ours.getMaybeOf w16) (Theirs.getMaybeOf Theirs.getWord16le),
    same
      "getEitherOf"
      (Ours.getEitherOf w16 w8)
      (Theirs.getEitherOf Theirs.getWord16le Theirs.getWord8),
    same
      "getNested"
      (Ours.getNested (fromIntegral <$> w8) (many w16))
      (Theirs.getNested (fromIntegral <$> Theirs.getWord8) (many Theirs.getWord16le))
  ]
  where
    same :: (Eq a, Show a) => String -> Ours.Get a -> Theirs.Get a -> TestTree
    same name mine his = testProperty name $
      forAll input $ \bs ->
        rightOf (Ours.runGetState mine bs 0) === rightOf (Theirs.runGetState his bs 0)
    input =
      choose (0, 60) >>= \n ->
        choose (0, 4) >>= \k ->
          (\bs b -> S.pack (replicate 7 0 ++ [b] ++ bs))
            <$> vectorOf n (frequency [(8, pure 0), (1, choose (0, 3)), (1, arbitrary)])
              <*> choose (0, k)

w8 :: Ours.Get Word8
w8 = Ours.getWord8

w16 :: Ours.Get Word16
w16 = Ours.getWord16le

int :: Ours.Get Int
int = fromIntegral <$> Ours.getWord32be

w8' :: Theirs.Putter Word8
w8' = Theirs.putWord8

w16' :: Theirs.Putter Word16
w16' = Theirs.putWord16le

int' :: Theirs.Putter Int
int' = Theirs.putWord32be . fromIntegral

everything :: Kind
everything =
  Kind
    { withChoices = True,
      withLongReads = True,
      withStrings = False,
      withOffsets = True,
      withIsolation = True
    }

onPrograms :: Testable p => Kind -> (Program -> [S.ByteString] -> p) -> Property
onPrograms kind f =
  forAllShrink (program kind (length (numbers ours))) shrinkProgram $ \p -> forAll chunks (f p)

onStrict :: Property
onStrict = onPrograms everything {withOffsets = False} $ \p ps ->
  let his = Theirs.runGetState (interpret theirs p) (S.concat ps) 0
   in checkShares (fst <$> his) $
        rightOf (Ours.runGetState (interpret ours p) (S.concat ps) 0) === rightOf his

onStrictWithOffsets :: Property
onStrictWithOffsets = onPrograms everything $ \p ps ->
  rightOf (Ours.runGetState (interpret (straight ours) p) (S.concat ps) 0)
    === rightOf (Theirs.runGetState (interpret (straight theirs) p) (S.concat ps) 0)

onLazy :: Property
onLazy = onPrograms everything {withOffsets = False, withIsolation = False} $ \p ps ->
  let input = L.fromChunks ps
   in rightOf (Ours.runGetLazyState (interpret (half ours) p) input)
        === rightOf (Theirs.runGetLazyState (interpret (half theirs) p) input)
  where
    half d = d {aheadM = id, aheadE = id}

whenFed :: Property
whenFed = onPrograms everything {withChoices = False, withIsolation = False} $ \p ps -> case ps of
  first : more ->
    mine (Ours.runGetPartial (interpret (straight ours) p) first) more
      === his (Theirs.runGetPartial (interpret (straight theirs) p) first) more
  [] ->
    mine (Ours.runGetPartial (interpret (straight ours) p) S.empty) []
      === his (Theirs.runGetPartial (interpret (straight theirs) p) S.empty) []
  where
    mine result ps = case result of
      Ours.Done x bs -> Just (x, S.concat (bs : ps))
      Ours.Fail _ _ -> Nothing
      Ours.Partial k -> case ps of
        [] -> mine (k S.empty) []
        bs : more -> mine (k bs) more
    his result ps = case result of
      Theirs.Done x bs -> Just (x, S.concat (bs : ps))
      Theirs.Fail _ _ -> Nothing
      Theirs.Partial k -> case ps of
        [] -> his (k S.empty) []
        bs : more -> his (k bs) more

-- cereal's isolate demands its bytes first, so chunks make no difference.
inIsolate :: Assertion
inIsolate = for_ [1 .. 9] $ \size -> do
  let input = L.fromChunks (pieces size (S.pack [8, 1, 2, 3, 4, 5, 6, 7, 8, 9]))
  Ours.runGetLazy
    (Ours.getWord8 *> Ours.isolate 8 (Ours.uncheckedSkip 4 *> Ours.getBytes 4))
    input
    @?= Theirs.runGetLazy
      (Theirs.getWord8 *> Theirs.isolate 8 (Theirs.uncheckedSkip 4 *> Theirs.getBytes 4))
      input
  Ours.runGetLazy (Ours.isolate 8 (Ours.uncheckedLookAhead 8 <* Ours.skip 8)) input
    @?= Theirs.runGetLazy (Theirs.isolate 8 (Theirs.uncheckedLookAhead 8 <* Theirs.skip 8)) input
  where
    pieces n bs = if S.null bs then [] else S.take n bs : pieces n (S.drop n bs)

arrived :: Assertion
arrived = do
  let p remaining isEmpty ensure peek skip = do
        a <- remaining
        b <- peek 2
        c <- ensure 3
        () <- skip 2
        d <- remaining
        () <- skip 9
        e <- (,) <$> remaining <*> isEmpty
        pure (a, b, S.take 3 c, d, e)
      mine = p Ours.remaining Ours.isEmpty Ours.ensure Ours.uncheckedLookAhead Ours.uncheckedSkip
      his =
        p
          Theirs.remaining
          Theirs.isEmpty
          Theirs.ensure
          Theirs.uncheckedLookAhead
          Theirs.uncheckedSkip
      right = (1 :: Int, S.pack [1], S.pack [1, 2, 3], 2 :: Int, (0 :: Int, True))
  -- The first chunk has one byte, the second has three.
  done (Ours.runGetPartial mine (S.pack [1])) @?= Just right
  done' (Theirs.runGetPartial his (S.pack [1])) @?= Just right
  -- All of a long chunk.
  let long = S.replicate 1100 7
      all' ensure peek remaining = (,,) <$> ensure 1 <*> peek 2000 <*> remaining
  done (Ours.runGetPartial (all' Ours.ensure Ours.uncheckedLookAhead Ours.remaining) long)
    @?= Just (long, long, 1100 :: Int)
  -- In lazy input, what has arrived is the chunk.
  let looks = do
        _ <- Ours.getBytes 3
        x <- Ours.uncheckedLookAhead 100
        _ <- Ours.getBytes 2
        if S.length x == 1 then fail "one byte" else pure x
  case Ours.runGetLazy looks (L.fromChunks [S.pack [1, 2], S.pack [3, 4], S.pack [5, 6]]) of
    Left e -> assertBool e ("at byte 5: one byte" `isPrefixOf` e)
    Right x -> assertFailure (show x)
  -- The whole input is there.
  Ours.runGet mine (S.pack [1, 2, 3, 4]) @?= Theirs.runGet his (S.pack [1, 2, 3, 4])
  Ours.runGet (Ours.uncheckedSkip (-3) *> Ours.uncheckedLookAhead (-1)) (S.pack [1])
    @?= Right S.empty
  assertBool "too few" (isLeft (Ours.runGet (Ours.ensure 5) (S.pack [1, 2, 3, 4])))
  Ours.runGet (Ours.ensure (-1)) (S.pack [1, 2]) @?= Right (S.pack [1, 2])
  where
    done result = case result of
      Ours.Partial k -> done (k (S.pack [2, 3, 4]))
      Ours.Done x _ -> Just x
      Ours.Fail _ _ -> Nothing
    done' result = case result of
      Theirs.Partial k -> done' (k (S.pack [2, 3, 4]))
      Theirs.Done x _ -> Just x
      Theirs.Fail _ _ -> Nothing

announced :: Assertion
announced = do
  let p skip remaining isEmpty = skip >> (,) <$> remaining <*> isEmpty
      mine n = p (Ours.skip n) Ours.remaining Ours.isEmpty
      his n = p (Theirs.skip n) Theirs.remaining Theirs.isEmpty
      both n =
        ( done (Ours.runGetChunk (mine n) (Just 3) (S.pack [1, 2])),
          done' (Theirs.runGetChunk (his n) (Just 3) (S.pack [1, 2]))
        )
  map both [0, 2, 3, 5]
    @?= [(Just r, Just r) | r <- [(5, False), (3, False), (2, False), (0, True)]]
  -- The length is a hint, not a limit.
  done (Ours.runGetChunk (Ours.getBytes 4) (Just 0) (S.pack [1, 2])) @?= Just (S.pack [1, 2, 9, 9])
  where
    done result = case result of
      Ours.Partial k -> done (k (S.pack [9, 9, 9]))
      Ours.Done x _ -> Just x
      Ours.Fail _ _ -> Nothing
    done' result = case result of
      Theirs.Partial k -> done' (k (S.pack [9, 9, 9]))
      Theirs.Done x _ -> Just x
      Theirs.Fail _ _ -> Nothing

strings :: Assertion
strings = do
  let input = S.pack [1 .. 9]
  Ours.runGet (Ours.getShortByteString 3) input @?= Right (SBS.pack [1, 2, 3])
  Ours.runGet (Ours.getLazyByteString 3) input @?= Right (L.pack [1, 2, 3])
  Ours.runGet (Ours.skip (-1) *> Ours.getBytes 2) input @?= Right (S.pack [1, 2])
  map
    (isLeft . ($ input))
    [ Ours.runGet (() <$ Ours.getBytes (-1)),
      Ours.runGet (() <$ Ours.getByteString (-1)),
      Ours.runGet (() <$ Ours.getLazyByteString (-1)),
      Ours.runGet (() <$ Ours.getShortByteString (-1)),
      Ours.runGet (Ours.isolate (-1) (pure ()))
    ]
    @?= replicate 5 True
  map
    (isLeft . ($ input))
    [ Theirs.runGet (() <$ Theirs.getBytes (-1)),
      Theirs.runGet (() <$ Theirs.getByteString (-1)),
      Theirs.runGet (() <$ Theirs.getLazyByteString (-1)),
      Theirs.runGet (() <$ Theirs.getShortByteString (-1)),
      Theirs.runGet (Theirs.isolate (-1) (pure ()))
    ]
    @?= replicate 5 True

states :: Assertion
states = do
  let input = S.pack [1 .. 9]
  Ours.runGetState Ours.getWord8 input 3 @?= Theirs.runGetState Theirs.getWord8 input 3
  Ours.runGetLazyState Ours.getWord8 (L.fromStrict input)
    @?= Theirs.runGetLazyState Theirs.getWord8 (L.fromStrict input)
  Ours.runGetLazy Ours.getWord16be (L.fromChunks [S.pack [1], S.pack [2]]) @?= Right 258
  assertBool "fails" (isLeft (Ours.runGetLazyState Ours.getWord16be (L.pack [1])))

results :: Assertion
results = do
  let begun = (+ 1) <$> Ours.runGetPartial Ours.getWord16be (S.pack [1])
  case begun of
    Ours.Partial k -> do
      show (k (S.pack [2, 3])) @?= "Done 259 " ++ show (S.pack [3])
      show (k (S.pack [4])) @?= "Done 261 " ++ show S.empty
      assertBool "failed" (take 5 (show (k S.empty)) == "Fail ")
    _ -> assertFailure "not partial"
  show begun @?= "Partial _"

-- The differences, each shown in both libraries.

texts :: Assertion
texts = do
  Ours.runGet (Ours.label "a" (fail "no") :: Ours.Get ()) S.empty @?= Left "at byte 0, in a: no"
  Theirs.runGet (Theirs.label "a" (fail "no") :: Theirs.Get ()) S.empty
    @?= Left "Failed reading: no\nFrom:\ta\n\n"
  Ours.runGet (fail "no" :: Ours.Get ()) S.empty @?= Left "at byte 0: no"
  Theirs.runGet (fail "no" :: Theirs.Get ()) S.empty
    @?= Left "Failed reading: no\nEmpty call stack\n"
  -- The message is that of the alternative that got farthest.
  Ours.runGet ((Ours.getWord8 *> fail "far") <|> fail "near" :: Ours.Get ()) (S.pack [1])
    @?= Left
      "at byte 1: far\n\
      \  00000000  01                                                |.|\n\
      \               ^"
  Theirs.runGet ((Theirs.getWord8 *> fail "far") <|> fail "near" :: Theirs.Get ()) (S.pack [1])
    @?= Left "Failed reading: near\nEmpty call stack\n"

leftByFailures :: Assertion
leftByFailures = do
  case Ours.runGetPartial
    ((Ours.getWord8 *> fail "a") <|> (Ours.getWord16be *> fail "b") :: Ours.Get ())
    (S.pack [1, 2, 3]) of
    Ours.Fail _ rest' -> rest' @?= S.pack [3]
    _ -> assertFailure "not failed"
  case Theirs.runGetPartial
    ((Theirs.getWord8 *> fail "a") <|> (Theirs.getWord16be *> fail "b") :: Theirs.Get ())
    (S.pack [1, 2, 3]) of
    Theirs.Fail _ rest' -> rest' @?= S.pack [1, 2, 3]
    _ -> assertFailure "not failed"
  -- What was not read of an isolated part is left, and what follows it, which cereal drops.
  case Ours.runGetPartial (Ours.isolate 3 (Ours.getBytes 2)) (S.pack [1 .. 6]) of
    Ours.Fail _ rest' -> rest' @?= S.pack [3 .. 6]
    _ -> assertFailure "not failed"
  case Theirs.runGetPartial (Theirs.isolate 3 (Theirs.getBytes 2)) (S.pack [1 .. 6]) of
    Theirs.Fail _ rest' -> rest' @?= S.pack [3]
    _ -> assertFailure "not failed"

offsets :: Assertion
offsets = do
  let input = S.pack [1, 2, 3]
  Ours.runGet (Ours.lookAhead Ours.getWord16be *> Ours.bytesRead) input @?= Right 0
  Theirs.runGet (Theirs.lookAhead Theirs.getWord16be *> Theirs.bytesRead) input @?= Right 2
  Ours.runGet (Ours.uncheckedSkip 5 *> Ours.bytesRead) input @?= Right 3
  Theirs.runGet (Theirs.uncheckedSkip 5 *> Theirs.bytesRead) input @?= Right 5
  Ours.runGet (Ours.skip (-1) *> Ours.bytesRead) input @?= Right 0
  Theirs.runGet (Theirs.skip (-1) *> Theirs.bytesRead) input @?= Right (-1)

lookedAhead :: Assertion
lookedAhead = do
  let mine =
        Ours.lookAheadM (Nothing <$ Ours.getWord16be) *> Ours.getByteString 2 ::
          Ours.Get S.ByteString
      his =
        Theirs.lookAheadM (Nothing <$ Theirs.getWord16be) *> Theirs.getByteString 2 ::
          Theirs.Get S.ByteString
      input = L.fromChunks [S.pack [1], S.pack [2], S.pack [3], S.pack [4]]
  Ours.runGetLazy mine input @?= Right (S.pack [1, 2])
  Theirs.runGetLazy his input @?= Right (S.pack [1, 3])

isolatedEnds :: Assertion
isolatedEnds = do
  let mine = Ours.isolate 1 ((,) <$> Ours.remaining <* Ours.getWord8 <*> Ours.isEmpty)
      his = Theirs.isolate 1 ((,) <$> Theirs.remaining <* Theirs.getWord8 <*> Theirs.isEmpty)
      input = L.fromChunks [S.pack [1], S.pack [2, 3]]
  Ours.runGetLazy mine input @?= Right (1, True)
  Theirs.runGetLazy his input @?= Right (3, False)

isolatedBytes :: Assertion
isolatedBytes = do
  let input = L.fromChunks [S.pack [1], S.pack [2, 3]]
  Ours.runGetLazy (Ours.isolate 1 (many Ours.getWord8)) input @?= Right [1]
  Theirs.runGetLazy (Theirs.isolate 1 (many Theirs.getWord8)) input @?= Right [1, 2, 3]

forced :: Assertion
forced = do
  let input = L.fromChunks [S.pack [1], S.pack [2]] <> throw Overflow
  Ours.runGetLazy Ours.getWord16be input @?= Right 258
  r <- try (evaluate (Theirs.runGetLazy Theirs.getWord16be input))
  either (@?= Overflow) (const (assertFailure "not forced")) r

-- Cereal's does not terminate.
manyOfNothing :: Assertion
manyOfNothing = Ours.runGet (many (Ours.skip 0)) S.empty @?= Right []

bounds :: Assertion
bounds = do
  let mine =
        Ours.runGet (Ours.getIArrayOf Ours.getWord8 Ours.getWord8) ::
          S.ByteString -> Either String (Array Word8 Word8)
      his =
        Theirs.runGet (Theirs.getIArrayOf Theirs.getWord8 Theirs.getWord8) ::
          S.ByteString -> Either String (Array Word8 Word8)
      listed xs = S.pack (replicate 7 0 ++ [fromIntegral (length xs)] ++ xs)
  mine (S.pack [1, 2] <> listed [5, 6]) @?= Right (listArray (1, 2) [5, 6])
  map (isLeft . mine) [S.pack [1, 2] <> listed [5], S.pack [1, 2] <> listed [5, 6, 7]]
    @?= [True, True]
  length <$> his (S.pack [1, 2] <> listed [5]) @?= Right 2
  his (S.pack [1, 2] <> listed [5, 6, 7]) @?= Right (listArray (1, 2) [5, 6])

depth :: Assertion
depth = do
  let nested n = S.concat (replicate n (S.pack [0, 0, 0, 0, 0, 0, 0, 1])) <> S.pack (replicate 8 0)
      mine = Ours.runGet (() <$ Ours.getTreeOf (pure ()))
  mine (nested 1000) @?= Right ()
  assertBool "refused" (isLeft (mine (nested 100000)))
  Theirs.runGet (() <$ Theirs.getTreeOf (pure ())) (nested 100000) @?= Right ()

-- Cereal's takes forever.
empties :: Assertion
empties = do
  assertBool "refused" (isLeft (Ours.runGet (Ours.getListOf (pure ())) (S.replicate 8 255)))
  assertBool "refused" (isLeft (Ours.runGet (Ours.getSeqOf (pure ())) (S.replicate 8 255)))
