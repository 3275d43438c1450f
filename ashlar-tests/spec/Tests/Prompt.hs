{-# LANGUAGE DerivingStrategies #-}
{-# LANGUAGE RankNTypes #-}

-- |
-- Module      : Tests.Prompt
-- Description : The law of output that is handed over in time
--
-- What a builder inserts or flushes is handed over, with all bytes before it, before anything after
-- it is evaluated. Values in random builders look at how many bytes the consumer has got by then.
-- Other bytes may wait in a buffer.
--
-- The suites of all packages that hand over chunks use this module.
module Tests.Prompt
  ( -- * The law
    prompt,
    Driver,
    fromLazy,

    -- * What is seen
    Program,
    Builds,
    Outcome (..),
    outcome,
    promised,
  )
where

import Ashlar.Builder
import Ashlar.Builder.Bytestring
import Ashlar.Builder.Extra
import Control.Exception
import qualified Data.ByteString as S
import qualified Data.ByteString.Builder as B
import qualified Data.ByteString.Builder.Extra as B
import qualified Data.ByteString.Lazy as L
import qualified Data.ByteString.Lazy.Internal as L (ByteString (..), chunk)
import Data.IORef
import qualified Data.List as List
import Data.Word (Word8)
import System.IO.Unsafe (unsafePerformIO)
import Test.Tasty.QuickCheck hiding (total)

data Item
  = -- | Bytes, one by one.
    Bytes Int
  | -- | A ByteString, inserted if it has more bytes than the first number.
    Strict Int Int
  | -- | A lazy one, of chunks that look when they are forced.
    Lazy Int [Int]
  | Flushed
  | -- | A byte that looks.
    Look
  | -- | These by the other library's builder.
    Converted [Item]
  deriving stock (Show)

-- | A builder, and whether it ends by an exception.
data Program = Program [Item] Bool
  deriving stock (Show)

instance Arbitrary Program where
  arbitrary = Program <$> items (3 :: Int) <*> arbitrary
    where
      items depth = concat <$> resize 8 (listOf (run depth))
      run depth =
        frequency $
          [ (3, (: []) . Bytes <$> choose (0, 40)),
            (3, (\most n -> [Strict most n]) <$> limit <*> size),
            (3, (\most ns -> [Lazy most ns]) <$> limit <*> resize 6 (listOf size)),
            (2, pure [Flushed]),
            (4, pure [Look]),
            (1, choose (0, 30) >>= \n -> pure (concat (replicate n [Strict 0 9, Look])))
          ]
            ++ [(1, (\inner -> [Converted inner]) <$> items (depth - 1)) | depth > 0]
      limit = elements [0, 10, defaultLimit]
      -- Both libraries insert 9,000 bytes by default, and copy 8,000.
      size = frequency [(1, pure 0), (4, choose (1, 20)), (1, pure 8000), (2, choose (9000, 20000))]
  shrink (Program items throws) =
    [Program items' throws | items' <- shrinkList (const []) items]
      ++ [Program items False | throws]

-- Stands for the functions without a threshold.
defaultLimit :: Int
defaultLimit = 8191

-- | Ashlar's builders and bytestring's.
class Monoid b => Builds b where
  byte :: Word8 -> b
  strict :: Int -> S.ByteString -> b
  lazily :: Int -> L.ByteString -> b
  flushed :: b
  converted :: (forall c. Builds c => c) -> b

instance Builds Builder where
  byte = word8
  strict limit
    | limit == 0 = byteStringInsert
    | limit == defaultLimit = byteString
    | otherwise = byteStringThreshold limit
  lazily limit
    | limit == 0 = lazyByteStringInsert
    | limit == defaultLimit = lazyByteString
    | otherwise = lazyByteStringThreshold limit
  flushed = flush
  converted b = fromBytestringBuilder b

instance Builds B.Builder where
  byte = B.word8
  strict limit bs
    | S.null bs = mempty -- An empty one would be a flush.
    | limit == 0 = B.byteStringInsert bs
    | limit == defaultLimit = B.byteString bs
    | otherwise = B.byteStringThreshold limit bs
  lazily limit
    | limit == 0 = B.lazyByteStringInsert
    | limit == defaultLimit = B.lazyByteString
    | otherwise = B.lazyByteStringThreshold limit
  flushed = B.flush
  converted b = toBytestringBuilder b

-- How many bytes the consumer has got, and what has been seen of that, the last first.
data Env = Env (IORef Int) (IORef [Int])

-- The number makes them different values.
look :: Env -> Int -> Word8
look (Env got seen) i = unsafePerformIO $ do
  n <- readIORef got
  fromIntegral i <$ modifyIORef' seen (n :)
{-# NOINLINE look #-}

built :: Builds b => Env -> [Item] -> b
built env = mconcat . zipWith item [0 ..]
  where
    item i x = case x of
      Bytes n -> mconcat (replicate n (byte 1))
      Strict limit n -> strict limit (S.take n longString)
      Lazy limit ns -> lazily limit (looking i ns)
      Flushed -> flushed
      Look -> byte (look env i)
      Converted items -> converted (built env items)
    looking i [] = look env i `seq` L.Empty
    looking i (n : ns) = look env i `seq` L.chunk (S.take n longString) (looking (i + 1) ns)
{-# NOINLINE built #-}

longString :: S.ByteString
longString = S.replicate 20000 7
{-# NOINLINE longString #-}

-- | What each look has seen, how many bytes came, and whether the builder threw.
data Outcome = Outcome [Int] Int Bool
  deriving stock (Eq, Show)

-- | Runs a builder, and hands each chunk to an action.
type Driver b = (S.ByteString -> IO ()) -> b -> IO ()

-- | Run a program.
outcome :: Builds b => Driver b -> Program -> IO Outcome
outcome driver (Program items throws) = do
  env@(Env got seen) <- Env <$> newIORef 0 <*> newIORef []
  let consume bs = modifyIORef' got (+ S.length bs)
      end = if throws then byte (throw Overflow) else mempty
  r <- try (driver consume (built env items <> end))
  Outcome . reverse <$> readIORef seen <*> readIORef got <*> pure (r == Left Overflow)

-- Bytes so far, those of them that have been handed over for sure, and that number at each look,
-- the last first.
data Model = Model !Int !Int [Int]

-- | What is seen if nothing but what was promised is handed over, and the number of all bytes.
promised :: Program -> (Outcome, Int)
promised (Program items throws) = (Outcome (reverse seen) atEnd throws, total)
  where
    Model total handed seen = List.foldl' item (Model 0 0 []) items
    atEnd = if throws then handed else total
    item m x = case x of
      Bytes n -> plus n m
      Strict limit n -> string limit m n
      Lazy limit ns -> looked (List.foldl' (string limit . looked) m ns)
      Flushed -> handedOver m
      Look -> plus 1 (looked m)
      Converted inner -> List.foldl' item m inner
    string limit m n = (if n > limit then handedOver else id) (plus n m)
    plus n (Model all' before looks) = Model (all' + n) before looks
    handedOver (Model all' _ looks) = Model all' all' looks
    looked (Model all' before looks) = Model all' before (before : looks)

-- | The law: at each look at least what was promised has come, and at the end of the builder all
-- bytes.
prompt :: Driver Builder -> Program -> Property
prompt driver program = ioProperty $ do
  o@(Outcome seen got threw) <- outcome driver program
  let (Outcome least atEnd throws, total) = promised program
  pure $
    counterexample (show o) $
      length seen === length least
        .&&. and (zipWith (>=) seen least)
        .&&. threw === throws
        .&&. got >= atEnd
        .&&. got <= total

-- | A driver from a function to lazy ByteStrings.
fromLazy :: (b -> L.ByteString) -> Driver b
fromLazy run consume b = go (run b)
  where
    go chunks = do
      now <- evaluate chunks
      case now of
        L.Empty -> pure ()
        L.Chunk bs rest -> consume bs >> go rest
