{-# LANGUAGE DerivingStrategies #-}
{-# LANGUAGE FlexibleContexts #-}
{-# LANGUAGE RankNTypes #-}
{-# LANGUAGE ScopedTypeVariables #-}

-- |
-- Module      : Tests.Put
-- Description : Puts against those of binary: the bytes, the values, and the laziness
module Tests.Put (tests) where

import qualified Ashlar.Builder as B
import Ashlar.Compat.Binary.Put (PutM)
import qualified Ashlar.Compat.Binary.Put as Ours
import Control.Exception (ErrorCall, evaluate, try)
import Control.Monad (forM_, forever, join)
import Control.Monad.Fix (mfix)
import qualified Data.Binary.Put as Theirs
import qualified Data.ByteString as S
import qualified Data.ByteString.Lazy as L
import qualified Data.ByteString.Short as SBS
import Data.Semigroup (stimes)
import Data.Word (Word64, Word8)
import GHC.Float (castWord32ToFloat, castWord64ToDouble)
import Test.Tasty
import Test.Tasty.HUnit
import Test.Tasty.QuickCheck

tests :: TestTree
tests =
  testGroup
    "Put"
    [ testGroup "each put, against binary's" eachPut,
      testProperty "programs, against binary's monad" programs,
      testGroup "laziness, against binary's" laziness,
      testCase "laziness beyond binary's" lazier,
      testCase "sequencing forces neither side" forcesNeither,
      testCase "nested runs for a value and bytes take linear time" nestedRuns,
      testCase "putBuilder and execPut" builders,
      testCase "flush ends a chunk" flushes,
      testProperty "as a monoid" asMonoid,
      testCase "stimes is a loop" manyTimes,
      testCase "mfix: a value ahead of where it is made" fixed
    ]

eachPut :: [TestTree]
eachPut =
  [ same number "putWord8" Ours.putWord8 Theirs.putWord8,
    same number "putInt8" Ours.putInt8 Theirs.putInt8,
    same number "putWord16be" Ours.putWord16be Theirs.putWord16be,
    same number "putWord32be" Ours.putWord32be Theirs.putWord32be,
    same number "putWord64be" Ours.putWord64be Theirs.putWord64be,
    same number "putInt16be" Ours.putInt16be Theirs.putInt16be,
    same number "putInt32be" Ours.putInt32be Theirs.putInt32be,
    same number "putInt64be" Ours.putInt64be Theirs.putInt64be,
    same number "putWord16le" Ours.putWord16le Theirs.putWord16le,
    same number "putWord32le" Ours.putWord32le Theirs.putWord32le,
    same number "putWord64le" Ours.putWord64le Theirs.putWord64le,
    same number "putInt16le" Ours.putInt16le Theirs.putInt16le,
    same number "putInt32le" Ours.putInt32le Theirs.putInt32le,
    same number "putInt64le" Ours.putInt64le Theirs.putInt64le,
    same number "putWordhost" Ours.putWordhost Theirs.putWordhost,
    same number "putWord16host" Ours.putWord16host Theirs.putWord16host,
    same number "putWord32host" Ours.putWord32host Theirs.putWord32host,
    same number "putWord64host" Ours.putWord64host Theirs.putWord64host,
    same number "putInthost" Ours.putInthost Theirs.putInthost,
    same number "putInt16host" Ours.putInt16host Theirs.putInt16host,
    same number "putInt32host" Ours.putInt32host Theirs.putInt32host,
    same number "putInt64host" Ours.putInt64host Theirs.putInt64host,
    same float "putFloatbe" Ours.putFloatbe Theirs.putFloatbe,
    same float "putFloatle" Ours.putFloatle Theirs.putFloatle,
    same float "putFloathost" Ours.putFloathost Theirs.putFloathost,
    same double "putDoublebe" Ours.putDoublebe Theirs.putDoublebe,
    same double "putDoublele" Ours.putDoublele Theirs.putDoublele,
    same double "putDoublehost" Ours.putDoublehost Theirs.putDoublehost,
    same character "putCharUtf8" Ours.putCharUtf8 Theirs.putCharUtf8,
    same (listOf character) "putStringUtf8" Ours.putStringUtf8 Theirs.putStringUtf8,
    same bytes "putByteString" Ours.putByteString Theirs.putByteString,
    same
      (L.fromChunks <$> listOf bytes)
      "putLazyByteString"
      Ours.putLazyByteString
      Theirs.putLazyByteString,
    same
      (SBS.toShort <$> bytes)
      "putShortByteString"
      Ours.putShortByteString
      Theirs.putShortByteString
  ]
  where
    same :: Show a => Gen a -> String -> (a -> Ours.Put) -> (a -> Theirs.Put) -> TestTree
    same gen name ours theirs =
      testProperty name $
        forAll gen $ \x -> Ours.runPut (ours x) === Theirs.runPut (theirs x)

number :: (Bounded a, Integral a) => Gen a
number = frequency [(3, arbitraryBoundedIntegral), (1, elements [minBound, maxBound, 0, 1])]

-- All bit patterns, so every kind of NaN, and extreme numbers.
float :: Gen Float
float =
  oneof
    [ castWord32ToFloat <$> number,
      elements [0, -0, 1 / 0, -1 / 0, 0 / 0, 1.0e-45, 1.17549435e-38, 3.4028235e38]
    ]

double :: Gen Double
double =
  oneof
    [ castWord64ToDouble <$> number,
      elements
        [0, -0, 1 / 0, -1 / 0, 0 / 0, 5.0e-324, 2.2250738585072014e-308, 1.7976931348623157e308]
    ]

character :: Gen Char
character =
  oneof
    [ choose ('\0', '\x7F'),
      choose ('\x80', '\x7FF'),
      choose ('\x800', '\xFFFF'),
      choose ('\x10000', '\x10FFFF'),
      elements "\0\x7F\x80\x7FF\x800\xD800\xDFFF\xFFFF\x10000\x10FFFF"
    ]

bytes :: Gen S.ByteString
bytes =
  frequency
    [(9, S.pack <$> listOf arbitrary), (1, (`S.replicate` 7) <$> elements [8191, 8192, 8193])]

-- | A program for any monad with 'Theirs.putWord8' and 'Theirs.putWord64le'.
data Program
  = Return Int
  | Narrow Word8
  | Wide Word64
  | Then Program Program
  | Before Program Program
  | Apply Program Program
  | Map Int Program
  | -- | The first value decides which program comes next.
    Bind Program Program Program
  | Each Program [Word8]
  deriving stock (Show)

instance Arbitrary Program where
  arbitrary = sized go
    where
      go n
        | n <= 1 = oneof [Return <$> arbitrary, Narrow <$> arbitrary, Wide <$> arbitrary]
        | otherwise =
          oneof
            [ Then <$> half <*> half,
              Then <$> half <*> half,
              Before <$> half <*> half,
              Apply <$> half <*> half,
              Map <$> arbitrary <*> go (n - 1),
              Bind <$> third <*> third <*> third,
              Each <$> go (n `div` 4) <*> resize 4 arbitrary,
              go 1
            ]
        where
          half = go (n `div` 2)
          third = go (n `div` 3)
  shrink p = case p of
    Then a b -> [a, b] ++ [Then a' b | a' <- shrink a] ++ [Then a b' | b' <- shrink b]
    Before a b -> [a, b] ++ [Before a' b | a' <- shrink a] ++ [Before a b' | b' <- shrink b]
    Apply a b -> [a, b] ++ [Apply a' b | a' <- shrink a] ++ [Apply a b' | b' <- shrink b]
    Map _ a -> [a]
    Bind a b c -> [a, b, c] ++ [Bind a' b c | a' <- shrink a]
    Each a xs -> a : [Each a xs' | xs' <- shrink xs]
    _ -> []

perform :: Monad m => (Word8 -> m ()) -> (Word64 -> m ()) -> Program -> m Int
perform narrow wide = go
  where
    go p = case p of
      Return n -> pure n
      Narrow x -> fromIntegral x <$ narrow x
      Wide x -> wide x >> return 5
      Then a b -> go a *> go b
      Before a b -> go a <* go b
      Apply a b -> (\x y -> 31 * x + y) <$> go a <*> go b
      Map n a -> fmap (+ n) (go a)
      Bind a b c -> go a >>= \n -> if even n then (n +) <$> go b else go c
      Each a xs -> do
        ns <- mapM (\x -> narrow x >> go a) xs
        forM_ ns (narrow . fromIntegral)
        pure (sum ns)

programs :: Program -> Property
programs p =
  Ours.runPutM ours === Theirs.runPutM (perform Theirs.putWord8 Theirs.putWord64le p)
    .&&. B.toStrictByteString (Ours.execPut ours) === L.toStrict (snd (Ours.runPutM ours))
  where
    ours = perform Ours.putWord8 Ours.putWord64le p

-- Each program runs in both monads. Both must have the same value, or both none. The same holds
-- for the first bytes.
laziness :: [TestTree]
laziness =
  zipWith compared (inMonad Ours.putWord8) (map (fmap Theirs.runPutM) (inMonad Theirs.putWord8))
    ++ zipWith
      compared
      (inMonoid Ours.putWord8)
      (map (fmap Theirs.runPutM) (inMonoid Theirs.putWord8))
  where
    compared :: (Eq a, Show a) => (String, PutM a) -> (String, (a, L.ByteString)) -> TestTree
    compared (name, ours) (_, theirs) = testCase name $ do
      let (a, bs) = Ours.runPutM ours
          (a', bs') = theirs
      value <- observed a
      value' <- observed a'
      value @?= value'
      start <- observed (L.unpack (L.take 3 bs))
      start' <- observed (L.unpack (L.take 3 bs'))
      start @?= start'

-- If a run for the value followed each run for the bytes, this would take 2^60 of them.
nestedRuns :: Assertion
nestedRuns = do
  let ours = sections Ours.runPutM Ours.putLazyByteString Ours.putWord8 60
      theirs = sections Theirs.runPutM Theirs.putLazyByteString Theirs.putWord8 60
      (n, written) = Theirs.runPutM theirs
      (valueFirst, later) = Ours.runPutM ours
      (afterBytes, first) = Ours.runPutM ours
  (valueFirst, later) @?= (n, written)
  (first, afterBytes) @?= (written, n)

sections ::
  forall m.
  Monad m =>
  (forall a. m a -> (a, L.ByteString)) ->
  (L.ByteString -> m ()) ->
  (Word8 -> m ()) ->
  Int ->
  m Int
sections run putBytes putByte = go
  where
    go :: Int -> m Int
    go 0 = 1 <$ putByte 1
    go d = do
      let (n, inner) = run (go (d - 1))
      putBytes inner
      putByte (fromIntegral n)
      pure (n + fromIntegral (L.length inner))

-- In binary, 'fmap' forces the builder.
lazier :: Assertion
lazier = do
  fst (Ours.runPutM (fmap (const 3) undefined)) @?= (3 :: Int)
  fst (Ours.runPutM (fmap (const 3) undefined >>= pure)) @?= (3 :: Int)
  fst (Ours.runPutM (join (pure 3 <$ undefined))) @?= (3 :: Int)

-- As with binary's, what is forced is only that there is a put.
forcesNeither :: Assertion
forcesNeither = do
  let forced :: Ours.Put -> Assertion
      forced p = evaluate (p `seq` ())
  forced (pure () >> undefined)
  forced (pure () *> undefined)
  forced (pure 'x' >>= \_ -> undefined)
  forced (Ours.putWord8 1 >> undefined)
  forced (undefined >> pure ())
  forced (mempty <> undefined)
  forced (undefined <> mempty)

-- The value, or Nothing if it is undefined.
observed :: Show a => a -> IO (Maybe a)
observed a = either none Just <$> try (a <$ evaluate (length (show a)))
  where
    none :: ErrorCall -> Maybe a
    none _ = Nothing

inMonad :: Monad m => (Word8 -> m ()) -> [(String, m Int)]
inMonad w =
  [ ("pure 3 <* undefined", pure 3 <* undefined),
    ("pure 3 <* w undefined", pure 3 <* w undefined),
    ("undefined *> pure 3", undefined *> pure 3),
    ("undefined >> pure 3", undefined >> pure 3),
    ("undefined >>= const (pure 3)", undefined >>= const (pure 3)),
    ("undefined >>= \\() -> pure 3", undefined >>= \() -> pure 3),
    ("w undefined >>= \\() -> pure 3", w undefined >>= \() -> pure 3),
    ("w 1 >> undefined", w 1 >> undefined),
    ("w 1 >> pure undefined", w 1 >> pure undefined),
    ("fmap undefined (w 1)", fmap undefined (w 1)),
    ("pure (const 3) <*> undefined", pure (const 3) <*> undefined),
    ("undefined <*> pure 3", (undefined <*> pure 'x') >> pure 3),
    ("const 3 <$> w 1 <*> undefined", (\_ () -> 3) <$> w 1 <*> undefined),
    ("pure undefined >>= \\_ -> 3 <$ w 1", pure undefined >>= \x -> 3 <$ (w 1 `const` (x :: Int))),
    ("w 1 >>= \\x -> w (x `seq` 2)", w 1 >>= \x -> 3 <$ w (x `seq` 2)),
    ("(1 <$ w 1) >>= w", (1 <$ w 1) >>= \x -> 3 <$ w x),
    ("(undefined <$ w 1) >>= w", (undefined <$ w 1) >>= \x -> 3 <$ w x),
    ("forever before a value", forever (w 1) >> pure 3),
    ("a value before forever", pure 3 <* forever (w 1)),
    ("mapM_ w [1 ..] >> pure 3", mapM_ w [1 ..] >> pure 3),
    ("mapM_ w undefined >> pure 3", mapM_ w (undefined :: [Word8]) >> pure 3),
    ("mapM w (1 : undefined)", mapM w (1 : undefined) >> pure 3),
    ("join (pure undefined)", join (pure undefined))
  ]

inMonoid :: Monoid (m ()) => (Word8 -> m ()) -> [(String, m ())]
inMonoid w =
  [ ("mempty", mempty),
    ("w 1 <> undefined", w 1 <> undefined),
    ("undefined <> w 1", undefined <> w 1),
    ("undefined <> undefined", undefined <> undefined),
    ("mconcat (w 1 : undefined)", mconcat (w 1 : undefined)),
    ("mconcat [w 1, undefined]", mconcat [w 1, undefined]),
    ("foldMap w [1 ..]", foldMap w [1 ..])
  ]

builders :: Assertion
builders = do
  let p = Ours.putBuilder (B.word8 1 <> B.stringUtf8 "ab") >> Ours.putWord8 2
  L.unpack (Ours.runPut p) @?= [1, 97, 98, 2]
  let b = Ours.execPut p
  -- It can run any number of times.
  S.unpack (B.toStrictByteString (b <> B.word8 9 <> b)) @?= [1, 97, 98, 2, 9, 1, 97, 98, 2]
  L.unpack (Ours.runPut (Ours.putBuilder (Ours.execPut (Ours.putBuilder b)))) @?= [1, 97, 98, 2]

flushes :: Assertion
flushes =
  map S.unpack (L.toChunks (Ours.runPut (Ours.putWord8 1 >> Ours.flush >> Ours.putWord8 2)))
    @?= [[1], [2]]

asMonoid :: Program -> Program -> Program -> NonNegative Int -> Property
asMonoid x y z (NonNegative n) =
  Ours.runPut (a <> b <> c) === Ours.runPut (a >> b >> c)
    .&&. Ours.runPut ((a <> b) <> c) === Ours.runPut (a <> (b <> c))
    .&&. Ours.runPut (mconcat [a, mempty, b]) === Ours.runPut (a >> b)
    .&&. (n <= 10 ==> Ours.runPut (stimes n a) === L.concat (replicate n (Ours.runPut a)))
  where
    (a, b, c) = (run x, run y, run z)
    run p = () <$ perform Ours.putWord8 Ours.putWord64le p

manyTimes :: Assertion
manyTimes = do
  L.unpack (Ours.runPut (stimes (3 :: Word8) (Ours.putWord8 5))) @?= [5, 5, 5]
  Ours.runPut (stimes (0 :: Int) (Ours.putWord8 5)) @?= L.empty
  -- Repeated doubling would never reach the first byte.
  L.length (L.take 100000 (Ours.runPut (stimes (10 ^ (30 :: Int) :: Integer) (Ours.putWord8 5))))
    @?= 100000
  -- The value does not force the bytes.
  fst (Ours.runPutM (stimes (-1 :: Int) (Ours.putWord8 5))) @?= ()
  r <- try (evaluate (L.length (Ours.runPut (stimes (-1 :: Int) (Ours.putWord8 5)))))
  case r of
    Left e -> show (e :: ErrorCall) @?= "Ashlar.Builder: stimes of a negative number"
    Right n -> assertFailure (show n ++ " bytes")

-- Bytes with their number before them.
fixed :: Assertion
fixed = L.unpack (Ours.runPut (() <$ mfix prefixed)) @?= [3, 7, 8, 9]
  where
    prefixed n = do
      Ours.putWord8 n
      lengths <- mapM (\x -> 1 <$ Ours.putWord8 x) [7, 8, 9]
      pure (sum lengths)
