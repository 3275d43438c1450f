{-# LANGUAGE DerivingStrategies #-}
{-# LANGUAGE ExistentialQuantification #-}
{-# LANGUAGE RankNTypes #-}

-- |
-- Module      : Decoders
-- Description : How a decoder is run, in two libraries
--
-- A decoder stands in a context, and is run on input. What its user sees must be the same in both
-- libraries: the value, the input that is left, and the offset.
module Decoders
  ( Library (..),
    Run (..),
    Kind (..),
    Row (..),
    Trait (..),
    rowName,
    differences,
  )
where

import Control.Applicative (Alternative, many, some, (<|>))
import Control.Exception
import qualified Data.ByteString as S
import qualified Data.ByteString.Lazy as L
import qualified Data.ByteString.Lazy.Internal as L (ByteString (..))
import Data.Word (Word8)
import Samples
import Seen
import Threads

-- | What the contexts need of a library.
data Library g = Library
  { -- | In every context.
    runs :: [Run g],
    -- | Without a context.
    runsAlone :: [Run g],
    -- | A run on lazy input, which may have a hole.
    onLazy :: forall a. Show a => g a -> L.ByteString -> String,
    -- | Whether lazy input is forced no further than the decoder gets.
    forcesLate :: Bool,
    oneByte :: g Word8,
    offset :: g Integer,
    isolated :: forall a. Int -> g a -> g a,
    named :: forall a. String -> g a -> g a,
    ahead :: forall a. g a -> g a,
    aheadM :: forall a. g (Maybe a) -> g (Maybe a),
    aheadE :: forall a b. g (Either a b) -> g (Either a b)
  }

-- | A way to run, without the contexts in which it is known to differ.
data Run g = Run String [Kind] (forall a. Show a => g a -> [S.ByteString] -> IO Seen)

data Kind
  = Straight
  | Offsets
  | Isolating
  | Ahead
  | Backtracking
  | Choosing
  | -- | Not a context: functions of the input that has arrived.
    Arrived
  deriving stock (Eq)

-- | One function of both libraries.
data Row
  = forall g h a.
    (Show a, Alternative g, MonadFail g, Alternative h, MonadFail h) =>
    Row String [Trait] (Library g) (Library h) (g a) (h a)

data Trait
  = -- | It may succeed without reading anything, so it is not put in 'many'.
    MayReadNothing
  | -- | It fails without reading anything. Only our runners force the first chunk then.
    ReadsNothing
  | -- | What is left after a failure is known to differ.
    OtherRest
  | -- | The message is known to differ.
    OtherMessage
  | -- | The offset after it is known to differ.
    OtherOffset
  | -- | It does this itself, so it is not run in the ways that are known to differ.
    Does Kind
  | -- | Some difference is known, and must be there.
    Differs
  deriving stock (Eq)

rowName :: Row -> String
rowName (Row name _ _ _ _ _) = name

-- | What differs, for each context, input and way to run.
differences :: Row -> IO [String]
differences (Row _ traits mine his f g) =
  (if Differs `elem` traits then expected else id) . concat
    <$> sequence
      ( [ differ
            (show (map S.unpack input))
            (context ++ ", " ++ way)
            (hide kind <$> act (use mine f) input)
            (hide kind <$> act' (use his g) input)
          | Context context kind use <- contexts traits,
            (Run way known act, Run _ _ act') <-
              zip (runs mine) (runs his)
                ++ (if context == "alone" then zip (runsAlone mine) (runsAlone his) else []),
            kind `notElem` known,
            kind == Straight || kind == Choosing || OtherOffset `notElem` traits,
            and [Does k `notElem` traits | k <- known],
            input <- if kind `elem` [Straight, Offsets] then inputs else few
        ]
          ++ [ differ
                 ("hole " ++ name)
                 circumstance
                 a
                 b
               | Does Arrived `notElem` traits,
                 (name, input) <- (if ReadsNothing `elem` traits then drop 1 else id) holedInputs,
                 ((circumstance, a), (_, b)) <-
                   zip
                     (withHole late (onLazy mine f . input))
                     (withHole late (onLazy his g . input))
             ]
      )
  where
    expected ds = ["no difference, although one is listed" | null ds]
    late = forcesLate mine && forcesLate his
    hide kind =
      (if OtherRest `elem` traits then withoutRest else id)
        . (if OtherMessage `elem` traits || kind == Choosing then withoutMessage else id)

-- Contexts ----------------------------------------------------------------------------------------

data Context
  = Context
      String
      Kind
      (forall g a. (Show a, Alternative g, MonadFail g) => Library g -> g a -> g String)

contexts :: [Trait] -> [Context]
contexts traits =
  [ Context "alone" Straight (\_ g -> show <$> g),
    Context "at an offset" Offsets $ \lib g ->
      (\_ x n -> show (x, n)) <$> oneByte lib <*> g <*> offset lib,
    Context "twice" Straight (\_ g -> curry show <$> g <*> g),
    Context "before a failure" Straight (\_ g -> g *> fail "no"),
    Context "labelled" Straight (\lib g -> named lib "a" (named lib "b" (show <$> g))),
    Context "lookAhead" Ahead $ \lib g ->
      curry show <$> ahead lib g <*> oneByte lib,
    Context "lookAheadM with Nothing" Backtracking $ \lib g ->
      (\x n -> show (x :: Maybe (), n)) <$> aheadM lib (Nothing <$ g) <*> oneByte lib,
    Context "lookAheadM with Just" Ahead $ \lib g ->
      show <$> aheadM lib (Just <$> g),
    Context "lookAheadE with Left" Backtracking $ \lib g ->
      (\x n -> show (x :: Either String (), n)) <$> aheadE lib (Left . show <$> g) <*> oneByte lib,
    Context "lookAheadE with Right" Ahead $ \lib g ->
      (\x -> show (x :: Either () String)) <$> aheadE lib (Right . show <$> g),
    Context "or something else" Choosing (\_ g -> (show <$> g) <|> pure "something else"),
    Context "or a byte" Choosing (\lib g -> (show <$> g) <|> (show <$> oneByte lib)),
    Context "after another choice" Choosing $ \lib g ->
      (oneByte lib *> oneByte lib *> fail "no") <|> (show <$> g)
  ]
    ++ [ Context ("isolate " ++ show n) Isolating $ \lib g ->
           curry show <$> isolated lib n g <*> offset lib
         | n <- [-1, 0, 1, 2, 3, 4, 5, 7, 8, 9, minBound, maxBound]
       ]
    ++ [ Context "isolated after a byte" Isolating $ \lib g ->
           show <$> isolated lib 5 (oneByte lib *> g)
       ]
    ++ ( if MayReadNothing `elem` traits
           then []
           else
             [ Context "many" Choosing (\_ g -> show <$> many g),
               Context "some" Choosing (\_ g -> show <$> some g),
               Context "many, isolated" Isolating (\lib g -> show <$> isolated lib 8 (many g))
             ]
       )

-- Input -------------------------------------------------------------------------------------------

contents :: [[Word8]]
contents =
  [take n [1 ..] | n <- [0, 1, 2, 3, 4, 7, 8, 9]]
    ++ [[0], [255], [5, 0, 6], replicate 9 255, [128, 0, 0], [1, 0, 3, 2, 5, 4, 1, 0]]
    ++ [replicate 7 0 ++ (n : rest) | n <- [0, 1, 2], rest <- [[], [0, 1, 2, 3], [1 .. 14]]]

-- | Split at every point, in single bytes, and with empty chunks between.
inputs :: [[S.ByteString]]
inputs = concatMap (splits . S.pack) contents
  where
    splits bs =
      [bs] :
      single bs :
      with bs :
        [[a, b] | n <- [1 .. min 10 (S.length bs) - 1], let (a, b) = S.splitAt n bs]
    single = map S.singleton . S.unpack
    with bs = let (a, b) = S.splitAt (S.length bs `div` 2) bs in [S.empty, a, S.empty, b, S.empty]

few :: [[S.ByteString]]
few = concat [[[S.pack xs], map S.singleton xs] | xs <- contents]

holedInputs :: [(String, Hole -> L.ByteString)]
holedInputs =
  [ ("at the start", \h -> fill h (L.pack [1 .. 9])),
    ("after a byte", after [1]),
    ("after eight bytes", after [0, 0, 0, 0, 0, 0, 0, 0]),
    ("after twenty bytes", after (replicate 7 0 ++ 1 : replicate 12 0)),
    ("in the end", \h -> L.Chunk (S.pack [1, 2]) (fill h L.Empty))
  ]
  where
    after xs h = L.Chunk (S.pack xs) (fill h (L.fromChunks [S.pack [1 .. 9], S.pack [0 .. 9]]))

-- | What a user sees of a result whose input has a hole.
withHole :: Bool -> (Hole -> String) -> [(String, IO Seen)]
withHole late result =
  [("throws", let x = result throwing in (<>) <$> look x <*> look x) | late]
    ++ [ ( "masking seen by the input",
           (<>)
             <$> look (result (maskedAs Unmasked))
             <*> mask_ (look (result (maskedAs MaskedInterruptible)))
         ),
         ( "one result, two threads meet in it",
           do
             gate <- newGate
             let x = result (waitingAt gate)
             meeting gate [look x, look x]
         )
       ]
    ++ map (fmap (if late then id else fmap lastOf)) (interruptions [minBound ..] result look)
  where
    look x = seeing (noted x <$ evaluate (length x))
