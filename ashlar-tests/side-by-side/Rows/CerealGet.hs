{-# LANGUAGE RankNTypes #-}

-- |
-- Module      : Rows.CerealGet
-- Description : The functions of cereal's Get
module Rows.CerealGet (rows) where

import qualified Ashlar.Compat.Cereal.Get as A
import qualified Ashlar.Compat.Cereal.IEEE754 as A
import Control.Applicative (empty)
import Control.Exception (mask_)
import Data.Array (Array)
import qualified Data.ByteString as S
import qualified Data.ByteString.Lazy as L
import qualified Data.Serialize.Get as B
import qualified Data.Serialize.IEEE754 as B
import Data.Word (Word8)
import Decoders
import Samples (edges)
import Seen
import Threads

-- | The results of both libraries.
data Step a
  = Done S.ByteString a
  | Partial (S.ByteString -> Step a)
  | Fail S.ByteString

ours :: Library A.Get
ours =
  Library
    { runs = take 3 ways,
      runsAlone = drop 3 ways,
      onLazy = \g -> either (const "failure") show . A.runGetLazyState g,
      forcesLate = True,
      oneByte = A.getWord8,
      offset = toInteger <$> A.bytesRead,
      isolated = A.isolate,
      named = A.label,
      ahead = A.lookAhead,
      aheadM = A.lookAheadM,
      aheadE = A.lookAheadE
    }
  where
    ways =
      runsBy
        A.runGetState
        A.runGetLazyState
        (\g -> step . A.runGetPartial g)
        A.runGet
        A.runGetLazy
        $ \g n -> step . A.runGetChunk g n
    step :: A.Result a -> Step a
    step d = case d of
      A.Done x rest -> Done rest x
      A.Partial k -> Partial (step . k)
      A.Fail _ rest -> Fail rest

theirs :: Library B.Get
theirs =
  Library
    { runs = take 3 ways,
      runsAlone = drop 3 ways,
      onLazy = \g -> either (const "failure") show . B.runGetLazyState g,
      forcesLate = False,
      oneByte = B.getWord8,
      offset = toInteger <$> B.bytesRead,
      isolated = B.isolate,
      named = B.label,
      ahead = B.lookAhead,
      aheadM = B.lookAheadM,
      aheadE = B.lookAheadE
    }
  where
    ways =
      runsBy
        B.runGetState
        B.runGetLazyState
        (\g -> step . B.runGetPartial g)
        B.runGet
        B.runGetLazy
        $ \g n -> step . B.runGetChunk g n
    step :: B.Result a -> Step a
    step d = case d of
      B.Done x rest -> Done rest x
      B.Partial k -> Partial (step . k)
      B.Fail _ rest -> Fail rest

-- | The messages of errors differ, so only the failure counts. docs/porting.md lists the kinds of
-- contexts that are left out.
runsBy ::
  (forall a. g a -> S.ByteString -> Int -> Either String (a, S.ByteString)) ->
  (forall a. g a -> L.ByteString -> Either String (a, L.ByteString)) ->
  (forall a. g a -> S.ByteString -> Step a) ->
  (forall a. g a -> S.ByteString -> Either String a) ->
  (forall a. g a -> L.ByteString -> Either String a) ->
  (forall a. g a -> Maybe Int -> S.ByteString -> Step a) ->
  [Run g]
runsBy runState runLazyState begin run runLazy beginChunk =
  [ Run "runGetState" [] (\g input -> end (runState g (S.concat input) 0)),
    Run "runGetLazyState" [Isolating, Backtracking, Arrived] (\g -> end . runLazyState g . lazy),
    Run "runGetPartial" [Isolating, Ahead, Backtracking, Choosing, Arrived] $ \g input ->
      pure $ case whole input of
        first : more -> steps (begin g first) more
        [] -> steps (begin g S.empty) [],
    Run "runGetState at an offset" [] (\g input -> end (runState g (S.concat input) 1)),
    Run "runGetState at a negative offset" [] (\g input -> end (runState g (S.concat input) (-1))),
    Run "runGetState past the end" [] (\g input -> end (runState g (S.concat input) 99)),
    Run "runGet" [] (\g -> end . run g . S.concat),
    Run "runGetLazy" [Isolating, Backtracking, Arrived] (\g -> end . runLazy g . lazy),
    Run "runGetChunk" [Isolating, Ahead, Backtracking, Arrived] $ \g input -> case whole input of
      first : more -> pure (steps (beginChunk g (Just (S.length (S.concat more))) first) more)
      [] -> pure (steps (beginChunk g Nothing S.empty) []),
    Run "masked" [] (\g input -> mask_ (end (runState g (S.concat input) 0))),
    Run "by two threads" [Isolating, Backtracking, Arrived] $ \g input ->
      let result = runLazyState g (lazy input) in inThreads [end result, end result]
  ]
  where
    -- An empty chunk ends cereal's input.
    lazy = L.fromChunks
    -- An empty chunk is the end.
    whole = filter (not . S.null)
    end :: Show a => Either String a -> IO Seen
    end = either (\_ -> pure (noted "failure")) (pure . noted . show)
    steps :: Show a => Step a -> [S.ByteString] -> Seen
    steps d input = case d of
      Partial k -> case input of
        [] -> noted "end" <> steps (k S.empty) []
        c : more -> noted "partial" <> steps (k c) more
      Done rest x -> noted (show x) <> noted (show (S.concat (rest : input)))
      Fail rest -> failed (L.fromStrict (S.concat (rest : input))) 0 ""

is :: Show a => String -> A.Get a -> B.Get a -> Row
is name = Row name [] ours theirs

-- | It may succeed without reading.
may :: Show a => String -> A.Get a -> B.Get a -> Row
may name = Row name [MayReadNothing] ours theirs

-- | It is about the input that has arrived, of which cereal's has more.
has :: Show a => String -> A.Get a -> B.Get a -> Row
has name = Row name [MayReadNothing, Does Arrived] ours theirs

-- | The offset after it is that of what it has looked at.
looks :: Show a => String -> A.Get a -> B.Get a -> Row
looks name = Row name [MayReadNothing, OtherOffset] ours theirs

-- | With numbers at the edges.
numbered :: Show a => String -> [Trait] -> (Int -> A.Get a) -> (Int -> B.Get a) -> [Row]
numbered name traits f g =
  [ Row (name ++ " " ++ text) (MayReadNothing : traits) ours theirs (f n) (g n)
    | (text, n) <- edges
  ]

rows :: [Row]
rows =
  numbered "isolate" [Does Isolating] (`A.isolate` A.getWord16be) (`B.isolate` B.getWord16be)
    ++ numbered "getBytes" [] A.getBytes B.getBytes
    ++ numbered "getByteString" [] A.getByteString B.getByteString
    ++ numbered
      "getLazyByteString"
      [OtherRest]
      (A.getLazyByteString . toEnum)
      (B.getLazyByteString . toEnum)
    ++ numbered "getShortByteString" [] A.getShortByteString B.getShortByteString
    ++ numbered "skip" [OtherRest, OtherOffset] (A.skip . large) (B.skip . large)
    ++ numbered "ensure" [Does Arrived] (A.ensure . large) (B.ensure . large)
    ++ numbered "uncheckedSkip" [Does Arrived, OtherOffset] A.uncheckedSkip B.uncheckedSkip
    ++ numbered "uncheckedLookAhead" [Does Arrived] A.uncheckedLookAhead B.uncheckedLookAhead
    ++ [ may "bytesRead" A.bytesRead B.bytesRead,
         has "isEmpty" A.isEmpty B.isEmpty,
         has "remaining" A.remaining B.remaining,
         may
           "label"
           (A.label "x" (A.label "" A.getWord16be))
           (B.label "x" (B.label "" B.getWord16be)),
         may "empty" (empty :: A.Get ()) (empty :: B.Get ()),
         may "fail" (fail "" :: A.Get ()) (fail "" :: B.Get ()),
         looks "lookAhead" (A.lookAhead A.getWord16be) (B.lookAhead B.getWord16be),
         Row
           "lookAheadM"
           [MayReadNothing, OtherOffset, Does Backtracking]
           ours
           theirs
           (A.lookAheadM (odds <$> A.getWord8))
           (B.lookAheadM (odds <$> B.getWord8)),
         Row
           "lookAheadE"
           [MayReadNothing, OtherOffset, Does Backtracking]
           ours
           theirs
           (A.lookAheadE (sides <$> A.getWord16le))
           (B.lookAheadE (sides <$> B.getWord16le)),
         is "getTwoOf" (A.getTwoOf A.getWord8 A.getWord16le) (B.getTwoOf B.getWord8 B.getWord16le),
         is "getListOf" (A.getListOf A.getWord16be) (B.getListOf B.getWord16be),
         is "getSeqOf" (A.getSeqOf A.getWord16be) (B.getSeqOf B.getWord16be),
         is "getTreeOf" (A.getTreeOf A.getWord8) (B.getTreeOf B.getWord8),
         is "getMapOf" (A.getMapOf A.getWord8 A.getWord8) (B.getMapOf B.getWord8 B.getWord8),
         is
           "getIntMapOf"
           (A.getIntMapOf (small <$> A.getWord8) A.getWord8)
           (B.getIntMapOf (small <$> B.getWord8) B.getWord8),
         is "getSetOf" (A.getSetOf A.getWord8) (B.getSetOf B.getWord8),
         is
           "getIntSetOf"
           (A.getIntSetOf (small <$> A.getWord8))
           (B.getIntSetOf (small <$> B.getWord8)),
         is "getMaybeOf" (A.getMaybeOf A.getWord16be) (B.getMaybeOf B.getWord16be),
         is
           "getEitherOf"
           (A.getEitherOf A.getWord8 A.getWord16be)
           (B.getEitherOf B.getWord8 B.getWord16be),
         Row
           "getNested"
           [Does Isolating]
           ours
           theirs
           (A.getNested (small <$> A.getWord8) A.getWord16be)
           (B.getNested (small <$> B.getWord8) B.getWord16be),
         is
           "getIArrayOf"
           (A.getIArrayOf ((`mod` 2) <$> A.getWord8) A.getWord8 :: A.Get (Array Word8 Word8))
           (B.getIArrayOf ((`mod` 2) <$> B.getWord8) B.getWord8),
         is "getInt16be" A.getInt16be B.getInt16be,
         is "getInt16le" A.getInt16le B.getInt16le,
         is "getInt32be" A.getInt32be B.getInt32be,
         is "getInt32le" A.getInt32le B.getInt32le,
         is "getInt64be" A.getInt64be B.getInt64be,
         is "getInt64le" A.getInt64le B.getInt64le,
         is "getInt8" A.getInt8 B.getInt8,
         is "getWord16be" A.getWord16be B.getWord16be,
         is "getWord16host" A.getWord16host B.getWord16host,
         is "getWord16le" A.getWord16le B.getWord16le,
         is "getWord32be" A.getWord32be B.getWord32be,
         is "getWord32host" A.getWord32host B.getWord32host,
         is "getWord32le" A.getWord32le B.getWord32le,
         is "getWord64be" A.getWord64be B.getWord64be,
         is "getWord64host" A.getWord64host B.getWord64host,
         is "getWord64le" A.getWord64le B.getWord64le,
         is "getWord8" A.getWord8 B.getWord8,
         is "getWordhost" A.getWordhost B.getWordhost,
         is "getFloat32le" A.getFloat32le B.getFloat32le,
         is "getFloat32be" A.getFloat32be B.getFloat32be,
         is "getFloat64le" A.getFloat64le B.getFloat64le,
         is "getFloat64be" A.getFloat64be B.getFloat64be,
         Row
           "skip minBound"
           [MayReadNothing, Differs]
           ours
           theirs
           (A.skip minBound)
           (B.skip minBound),
         Row
           "ensure minBound"
           [MayReadNothing, Differs]
           ours
           theirs
           (A.ensure minBound)
           (B.ensure minBound)
       ]
  where
    -- The smallest numbers overflow in cereal: see the last rows.
    large = max (-1000)
    odds x = if odd x then Just x else Nothing
    sides x = if odd x then Right x else Left x
    small = fromIntegral :: Word8 -> Int
