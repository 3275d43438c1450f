{-# LANGUAGE DerivingStrategies #-}
{-# LANGUAGE ExistentialQuantification #-}

-- |
-- Module      : Tests.Fuzz.Target
-- Description : A decoder as the fuzzer sees it, and what must hold on any input
module Tests.Fuzz.Target
  ( Target (..),
    Encodings (..),
    getter,
    check,
    Run (..),
    decodeFully,
  )
where

import Ashlar.Get
import Ashlar.Get.Feed
import Ashlar.Get.Stream
import Control.Applicative (empty, (<|>))
import Control.Exception (displayException, evaluate)
import Control.Monad (unless)
import Data.Bits (shiftR)
import qualified Data.ByteString as S
import qualified Data.ByteString.Char8 as C
import qualified Data.ByteString.Lazy as L
import Data.IORef
import Data.List (isInfixOf, isPrefixOf)
import Data.Word (Word64)
import Test.QuickCheck (Gen)

-- | A decoder, and inputs to begin with.
data Target = forall a.
  Target
  { targetName :: String,
    targetGet :: Get a,
    -- | Different for different values, and forces all of the value: its encoding, if it has one.
    targetAnswer :: a -> S.ByteString,
    targetEncodings :: Encodings,
    targetSeeds :: [S.ByteString],
    -- | Encodings of random values.
    targetRandom :: Maybe (Gen S.ByteString)
  }

-- | What 'targetAnswer' is.
data Encodings
  = -- | The one encoding of the value.
    One
  | -- | One of several encodings.
    Several
  | -- | No encoding.
    NotEncoded

-- | A decoder whose values are shown.
getter :: Show a => String -> Get a -> [String] -> Target
getter name g seeds = Target name g (C.pack . show) NotEncoded (map C.pack seeds) Nothing

-- The budgets are small, so that no case takes long.
within :: Get a -> Get a
within =
  withBudget Budget {budgetDepth = 300, budgetSteps = 1000, budgetBytes = Just maxBound}

-- | How 'decodeFully' runs a decoder.
data Run = InMemory | InBytes
  deriving stock (Eq)

-- | Decode strict input, or input that is pushed byte by byte, and force the result and the error.
-- Levels have the default budget.
decodeFully :: Run -> Target -> S.ByteString -> IO ()
decodeFully run (Target _ raw answer _ _ _) bs = do
  result <- case run of
    InMemory -> pure (runGetWhole g bs)
    InBytes -> fed g (map S.singleton (S.unpack bs))
  () <$ either (evaluate . length . displayException) (evaluate . S.length . answer) result
  where
    g = withBudget defaultBudget {budgetSteps = 100} raw

-- | What is wrong with what the decoder says about this input, if anything is. The number chooses
-- how the input is cut, and some of the ways to run the decoder. One of two is always strict input.
check :: Word64 -> Target -> S.ByteString -> IO (Maybe String)
check seed (Target _ raw answer encodings _ _) bs = do
  problem <- newIORef Nothing
  let g = within raw
      wrong what = modifyIORef problem (maybe (Just what) Just)
      chunks = cut (seed `shiftR` 8) bs
      expected = answer <$> runGetWhole g bs
      agrees name result = unless (result == expected) (wrong ("differs: " ++ name))
      -- The budget of steps limits how often nested decoders wait, which those in memory never do.
      agreesOrWaits name result =
        unless (either waitsTooOften (const False) result) (agrees name result)
      way = seed `mod` 8
  case expected of
    Left e -> do
      unless (errorOffset e >= 0 && errorOffset e <= fromIntegral (S.length bs)) $
        wrong "error outside of the input"
      -- (To show it takes longer than to decode.)
      unless (seed `shiftR` 60 > 0 || length (displayException e) < 20000) $ wrong "a long error"
    Right bytes -> case encodings of
      One -> unless (bytes == bs) (wrong "another encoding of a value")
      Several -> do
        let again = answer <$> runGetWhole g bytes
        unless (again == Right bytes) (wrong "what was decoded and encoded is decoded differently")
      NotEncoded -> pure ()
  case way of
    0 -> agrees "lazy" (answer <$> runGetLazyWhole g (L.fromChunks chunks))
    1 -> agrees "one lazy chunk" (answer <$> runGetLazyWhole g (L.fromStrict bs))
    2 -> fromSource g chunks >>= agrees "source" . fmap answer
    3 -> agreesOrWaits "pushed" (answer <$> pushed g chunks)
    4 -> fed g chunks >>= agreesOrWaits "fed" . fmap answer
    5 ->
      unless (valuesOf g answer chunks `agreesWith` streamed g answer bs) $
        wrong "differs: values"
    6 -> agrees "nested" (answer <$> runGetWhole (isolate (S.length bs) (g <* endOfInput)) bs)
    _ -> agrees "second alternative" (answer <$> runGetWhole (failed g <|> g) bs)
  readIORef problem
  where
    -- It goes back from the end of what it reads, and says nothing that is about any input.
    failed g = lookAhead (Nothing <$ attempt g <|> pure Nothing) >>= maybe empty pure

fromSource :: Get a -> [S.ByteString] -> IO (Either DecodeError a)
fromSource g chunks = do
  rest <- newIORef chunks
  source <- newSource (atomicModifyIORef' rest (\l -> (drop 1 l, S.concat (take 1 l))))
  getFrom source (g <* endOfInput)

-- Nobody pushes after the end: each chunk would be appended to what is left.

pushed :: Get a -> [S.ByteString] -> Either DecodeError a
pushed g = go (runGetIncremental (g <* endOfInput))
  where
    go state chunks = case (state, chunks) of
      (Done _ _ a, _) -> Right a
      (Fail _ _ e, _) -> Left e
      (_, bs : more) -> go (pushChunk state bs) more
      (_, []) -> case pushEndOfInput state of
        Partial _ -> errorWithoutStackTrace "waits after the end of the input"
        end -> go end []

fed :: Get a -> [S.ByteString] -> IO (Either DecodeError a)
fed g chunks = newFeed (g <* endOfInput) >>= go chunks
  where
    go left state = case (state, left) of
      (FeedDone _ _ a, _) -> pure (Right a)
      (FeedFail _ _ e, _) -> pure (Left e)
      (_, bs : more) -> feed state bs >>= go more
      (_, []) -> do
        end <- feedEndOfInput state
        case end of
          FeedPartial _ -> errorWithoutStackTrace "waits after the end of the input"
          _ -> go [] end

-- Is it the error of a decoder that waits for input where it is nested deeply?
waitsTooOften :: DecodeError -> Bool
waitsTooOften e = case errorReason e of
  OverBudget message -> "suspend nested decoders" `isInfixOf` message
  _ -> False

-- The values up to the first error, and the error.
type Several = ([S.ByteString], Maybe DecodeError)

-- The same, or the first of them up to where the decoder waited too often.
agreesWith :: Several -> Several -> Bool
agreesWith (as, end) (bs, end') = case end of
  Just e | waitsTooOften e -> as `isPrefixOf` bs
  _ -> as == bs && end == end'

valuesOf :: Get a -> (a -> S.ByteString) -> [S.ByteString] -> Several
valuesOf g answer = go [] (runGetValues g)
  where
    go acc state chunks = case chunks of
      bs : more -> let (as, state') = feedValues state bs in go (reverse as ++ acc) state' more
      [] ->
        let (as, end) = feedValuesEnd state
         in (map answer (reverse acc ++ as), errorIn end)
    errorIn end = case end of
      ValuesFail _ _ e -> Just e
      _ -> Nothing

streamed :: Get a -> (a -> S.ByteString) -> S.ByteString -> Several
streamed g answer = go [] . runGetStream g . L.fromStrict
  where
    go acc stream = case stream of
      Next a rest -> go (answer a : acc) rest
      End -> (reverse acc, Nothing)
      Broken e -> (reverse acc, Just e)

-- Into single bytes, or at random offsets. No chunk is empty.
cut :: Word64 -> S.ByteString -> [S.ByteString]
cut seed bs
  | S.null bs = []
  | S.length bs <= 64, seed `mod` 3 == 0 = map S.singleton (S.unpack bs)
  | otherwise = go (seed `shiftR` 2) bs
  where
    largest = [2, 8, 32, 2048] !! fromIntegral (seed `mod` 4)
    go s rest
      | S.null rest = []
      | otherwise = case S.splitAt (1 + fromIntegral (s `shiftR` 33) `mod` largest) rest of
        (now, later) -> now : go (s * 6364136223846793005 + 1442695040888963407) later
