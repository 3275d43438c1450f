-- The deprecated functions are tested, too.
{-# OPTIONS_GHC -Wno-deprecations #-}

-- |
-- Module      : Tests.GetBinary
-- Description : Decoders against those of binary
--
-- Random decoders and inputs show what is the same. Each difference that @docs/porting.md@ lists is
-- shown in both libraries.
module Tests.GetBinary (tests) where

import qualified Ashlar.Compat.Binary.Get as Ours
import Control.Applicative (empty, many, (<|>))
import Control.Exception (ErrorCall (..), evaluate, try)
import qualified Data.Binary.Get as Theirs
import qualified Data.ByteString as S
import qualified Data.ByteString.Lazy as L
import qualified Data.ByteString.Short as SBS
import Data.Either (fromLeft)
import Data.Int (Int64)
import qualified Data.List as List
import Data.Word (Word8)
import GHC.Float (castDoubleToWord64, castFloatToWord32)
import Test.Tasty
import Test.Tasty.HUnit
import Test.Tasty.QuickCheck hiding (label)
import Tests.Dialect

tests :: TestTree
tests =
  testGroup
    "Get, as in binary"
    [ testGroup "each number, against binary's" eachNumber,
      testProperty "programs, against binary's" programs,
      testProperty "failures of programs: what is left, and the message" failures,
      testProperty "failures among alternatives: what is left" failuresAmongChoices,
      testProperty "programs that are fed, against binary's" whenFed,
      testProperty "waits for no more input than binary's" waits,
      testCase "each state can be resumed again" resumedAgain,
      testCase "chunks after the end" afterEnd,
      testCase "runGet throws an ErrorCall" throws,
      testCase "runGetState" states,
      testCase "the message of empty, and of isolate" messages,
      testProperty "getShortByteString" shortStrings,
      testGroup
        "differences"
        [ testCase "the error is about the alternative that got farthest" farthest,
          testCase "many ends where nothing is read" manyOfNothing,
          testCase "skip does not give back what it passed" notGivenBack
        ]
    ]

ours :: Dialect Ours.Get
ours =
  Dialect
    { numbers =
        [ ("getWord8", toInteger <$> Ours.getWord8),
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
          ("getWord64host", toInteger <$> Ours.getWord64host),
          ("getInthost", toInteger <$> Ours.getInthost),
          ("getInt16host", toInteger <$> Ours.getInt16host),
          ("getInt32host", toInteger <$> Ours.getInt32host),
          ("getInt64host", toInteger <$> Ours.getInt64host),
          ("getFloatbe", toInteger . castFloatToWord32 <$> Ours.getFloatbe),
          ("getFloatle", toInteger . castFloatToWord32 <$> Ours.getFloatle),
          ("getFloathost", toInteger . castFloatToWord32 <$> Ours.getFloathost),
          ("getDoublebe", toInteger . castDoubleToWord64 <$> Ours.getDoublebe),
          ("getDoublele", toInteger . castDoubleToWord64 <$> Ours.getDoublele),
          ("getDoublehost", toInteger . castDoubleToWord64 <$> Ours.getDoublehost)
        ],
      bytes = \n -> if even n then Ours.getByteString n else Ours.getBytes n,
      lazyBytes = Ours.getLazyByteString . fromIntegral,
      upToNul = Ours.getLazyByteStringNul,
      rest = Ours.getRemainingLazyByteString,
      skipped = Ours.skip,
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
        [ ("getWord8", toInteger <$> Theirs.getWord8),
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
          ("getWord64host", toInteger <$> Theirs.getWord64host),
          ("getInthost", toInteger <$> Theirs.getInthost),
          ("getInt16host", toInteger <$> Theirs.getInt16host),
          ("getInt32host", toInteger <$> Theirs.getInt32host),
          ("getInt64host", toInteger <$> Theirs.getInt64host),
          ("getFloatbe", toInteger . castFloatToWord32 <$> Theirs.getFloatbe),
          ("getFloatle", toInteger . castFloatToWord32 <$> Theirs.getFloatle),
          ("getFloathost", toInteger . castFloatToWord32 <$> Theirs.getFloathost),
          ("getDoublebe", toInteger . castDoubleToWord64 <$> Theirs.getDoublebe),
          ("getDoublele", toInteger . castDoubleToWord64 <$> Theirs.getDoublele),
          ("getDoublehost", toInteger . castDoubleToWord64 <$> Theirs.getDoublehost)
        ],
      bytes = \n -> if even n then Theirs.getByteString n else Theirs.getBytes n,
      lazyBytes = Theirs.getLazyByteString . fromIntegral,
      upToNul = Theirs.getLazyByteStringNul,
      rest = Theirs.getRemainingLazyByteString,
      skipped = Theirs.skip,
      offset = toInteger <$> Theirs.bytesRead,
      left = toInteger <$> Theirs.remaining,
      atEnd = Theirs.isEmpty,
      isolated = Theirs.isolate,
      named = Theirs.label,
      ahead = Theirs.lookAhead,
      aheadM = Theirs.lookAheadM,
      aheadE = Theirs.lookAheadE
    }

eachNumber :: [TestTree]
eachNumber =
  [ testProperty name $
      forAll chunks $ \ps ->
        let input = L.fromChunks ps
         in Ours.runGetOrFail (many mine) input === Theirs.runGetOrFail (many his) input
    | ((name, mine), (_, his)) <- zip (numbers ours) (numbers theirs)
  ]

everything :: Kind
everything =
  Kind
    { withChoices = True,
      withLongReads = True,
      withStrings = True,
      withOffsets = True,
      withIsolation = True
    }

onPrograms :: Testable p => Kind -> (Program -> [S.ByteString] -> p) -> Property
onPrograms kind f =
  forAllShrink (program kind (length (numbers ours))) shrinkProgram $ \p -> forAll chunks (f p)

-- The result, the input left and the offset, or that the decoder fails.
programs :: Property
programs = onPrograms everything $ \p ps ->
  let input = L.fromChunks ps
      mine = Ours.runGetOrFail (interpret ours p) input
      his = Theirs.runGetOrFail (interpret theirs p) input
   in checkShares ((\(_, _, seen) -> seen) <$> his) $
        either (const Nothing) Just mine === either (const Nothing) Just his

-- The input left, its offset, and the message.
failures :: Property
failures =
  onPrograms everything {withChoices = False, withLongReads = False, withStrings = False} $ \p ps ->
    let input = L.fromChunks ps
        mine = Ours.runGetOrFail (interpret ours p) input
        his = Theirs.runGetOrFail (interpret theirs p) input
     in either Just (const Nothing) mine === either Just (const Nothing) his

-- The input left, and its offset.
failuresAmongChoices :: Property
failuresAmongChoices = onPrograms everything {withLongReads = False, withStrings = False} $ \p ps ->
  let input = L.fromChunks ps
      left' = either (\(bs, at, _) -> Just (bs, at)) (const Nothing)
   in left' (Ours.runGetOrFail (interpret ours p) input)
        === left' (Theirs.runGetOrFail (interpret theirs p) input)

whenFed :: Property
whenFed = onPrograms everything $ \p ps ->
  let mine =
        Ours.pushEndOfInput
          (List.foldl' Ours.pushChunk (Ours.runGetIncremental (interpret ours p)) ps)
      his =
        Theirs.pushEndOfInput
          ( List.foldl'
              Theirs.pushChunk
              (Theirs.runGetIncremental (interpret theirs p))
              ps
          )
   in ( case mine of
          Ours.Done bs at x -> Just (bs, at, x)
          _ -> Nothing
      )
        === ( case his of
                Theirs.Done bs at x -> Just (bs, at, x)
                _ -> Nothing
            )

-- When binary's decoder has ended, ours has too.
waits :: Property
waits = onPrograms everything $ \p ps ->
  let mine = scanl Ours.pushChunk (Ours.runGetIncremental (interpret ours p)) ps
      his = scanl Theirs.pushChunk (Theirs.runGetIncremental (interpret theirs p)) ps
   in conjoin
        [ counterexample (show n) (not (waiting m) || waiting' h)
          | (n, m, h) <- zip3 [0 :: Int ..] mine his
        ]
  where
    waiting d = case d of
      Ours.Partial _ -> True
      _ -> False
    waiting' d = case d of
      Theirs.Partial _ -> True
      _ -> False

resumedAgain :: Assertion
resumedAgain = do
  let begun =
        Ours.runGetIncremental
          (Ours.label "pair" ((,) <$> Ours.getWord16be <*> Ours.getByteString 3))
          `Ours.pushChunk` S.pack [1]
      end state = case state of
        Ours.Done bs at x -> Right (bs, at, x)
        Ours.Fail bs at e -> Left (bs, at, e)
        Ours.Partial _ -> Left (S.empty, -1, "partial")
  end (begun `Ours.pushChunks` L.pack [2, 3, 4, 5, 6])
    @?= Right (S.pack [6], 5, (258, S.pack [3, 4, 5]))
  end (begun `Ours.pushChunks` L.fromChunks (map S.singleton [9, 8, 7, 6]))
    @?= Right (S.empty, 5, (265, S.pack [8, 7, 6]))
  end (Ours.pushEndOfInput (begun `Ours.pushChunk` S.pack [2, 3]))
    @?= Left (S.pack [3], 2, "not enough bytes\npair")
  end begun @?= Left (S.empty, -1, "partial")

afterEnd :: Assertion
afterEnd = do
  case Ours.runGetIncremental (pure 'x')
    `Ours.pushChunk` S.pack [1]
    `Ours.pushChunks` L.fromChunks [S.pack [2], S.pack [3]] of
    Ours.Done bs at x -> (bs, at, x) @?= (S.pack [1, 2, 3], 0, 'x')
    _ -> assertFailure "not done"
  case Ours.runGetIncremental (fail "no" :: Ours.Get ())
    `Ours.pushChunk` S.pack [1]
    `Ours.pushChunks` L.fromChunks [S.pack [2], S.pack [3]] of
    Ours.Fail bs at e -> (bs, at, e) @?= (S.pack [1, 2, 3], 0, "no")
    _ -> assertFailure "not failed"

throws :: Assertion
throws = do
  r <-
    try
      ( evaluate
          ( Ours.runGet
              (Ours.getWord8 *> Ours.label "b" (Ours.label "a" Ours.getWord16be))
              (L.pack [1, 2])
          )
      )
  either (\(ErrorCall e) -> e) show r
    @?= "Ashlar.Compat.Binary.Get.runGet at position 1: not enough bytes\na\nb"
  Ours.runGet Ours.getWord8 (L.pack [7, 8]) @?= 7

states :: Assertion
states = do
  let input = L.fromChunks [S.pack [1, 2], S.pack [3, 4]]
  Ours.runGetState Ours.getWord8 input 10 @?= Theirs.runGetState Theirs.getWord8 input 10
  r <- try (evaluate (Ours.runGetState (fail "no" :: Ours.Get ()) input 10))
  either (\(ErrorCall e) -> e) show r @?= "Ashlar.Compat.Binary.Get.runGetState at position 0: no"

-- The differences, each shown in both libraries.

messageOf :: Either (L.ByteString, Int64, String) b -> String
messageOf = either (\(_, _, e) -> e) (const "")

farthest :: Assertion
farthest = do
  messageOf
    ( Ours.runGetOrFail
        ((Ours.getWord8 *> fail "far") <|> fail "near" :: Ours.Get ())
        (L.pack [1])
    )
    @?= "far"
  messageOf
    ( Theirs.runGetOrFail
        ((Theirs.getWord8 *> fail "far") <|> fail "near" :: Theirs.Get ())
        (L.pack [1])
    )
    @?= "near"

-- Binary's does not terminate.
manyOfNothing :: Assertion
manyOfNothing = Ours.runGet (many (Ours.skip 0)) L.empty @?= []

notGivenBack :: Assertion
notGivenBack = do
  let input = L.pack [1, 2, 3]
  either (\(bs, at, _) -> Left (bs, at)) (\_ -> Right ()) (Ours.runGetOrFail (Ours.skip 5) input)
    @?= Left (L.empty, 3)
  either
    (\(bs, at, _) -> Left (bs, at))
    (\_ -> Right ())
    (Theirs.runGetOrFail (Theirs.skip 5) input)
    @?= Left (input, 0)
  either
    (\(bs, at, _) -> Left (bs, at))
    (\_ -> Right ())
    (Ours.runGetOrFail (Ours.getLazyByteString 5) input)
    @?= Left (input, 0)
  either
    (\(bs, at, _) -> Left (bs, at))
    (\_ -> Right ())
    (Theirs.runGetOrFail (Theirs.getLazyByteString 5) input)
    @?= Left (input, 0)

messages :: Assertion
messages = do
  of2 (Ours.runGetOrFail empty) @?= of2 (Theirs.runGetOrFail empty)
  mapM_ (\n -> of2 (isolatedOurs n) @?= of2 (isolatedTheirs n)) [-1, 0, 2, 3]
  where
    of2 :: (L.ByteString -> Either (L.ByteString, Int64, String) r) -> (L.ByteString, Int64, String)
    of2 run = fromLeft (L.empty, -1, "no error") (run (L.pack [1, 2]))
    isolatedOurs n = Ours.runGetOrFail (Ours.isolate n Ours.getWord8)
    isolatedTheirs n = Theirs.runGetOrFail (Theirs.isolate n Theirs.getWord8)

shortStrings :: [Word8] -> Int -> Property
shortStrings ws n =
  failing (Ours.runGetOrFail (Ours.getShortByteString n) (L.pack ws))
    === failing (Theirs.runGetOrFail (SBS.toShort <$> Theirs.getByteString n) (L.pack ws))
  where
    failing :: Either e (L.ByteString, Int64, a) -> Maybe (Int64, a)
    failing = either (const Nothing) (\(_, at, x) -> Just (at, x))
