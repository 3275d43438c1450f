{-# LANGUAGE DerivingStrategies #-}
{-# LANGUAGE RankNTypes #-}

-- |
-- Module      : Tests.Dialect
-- Description : Random decoders in the names that binary, cereal and ours have in common
--
-- A decoder as data, and one interpretation of it, which is given the functions of a
-- library. So it is the same program for two of them.
module Tests.Dialect
  ( Dialect (..),
    Program (..),
    Seen (..),
    Kind (..),
    program,
    shrinkProgram,
    interpret,
    pieces,
  )
where

import Control.Applicative (Alternative, many, (<|>))
import qualified Data.ByteString as S
import qualified Data.ByteString.Lazy as L
import Data.Word (Word8)
import Test.QuickCheck

-- | The functions of a library. (Numbers are what they are as integers, or their bits.)
data Dialect m = Dialect
  { numbers :: [(String, m Integer)],
    bytes :: Int -> m S.ByteString,
    lazyBytes :: Int -> m L.ByteString,
    upToNul :: m L.ByteString,
    rest :: m L.ByteString,
    skipped :: Int -> m (),
    place :: m Integer,
    left :: m Integer,
    atEnd :: m Bool,
    isolated :: forall a. Int -> m a -> m a,
    named :: forall a. String -> m a -> m a,
    ahead :: forall a. m a -> m a,
    aheadM :: forall a. m (Maybe a) -> m (Maybe a),
    aheadE :: forall a b. m (Either a b) -> m (Either a b)
  }

-- | A decoder.
data Program
  = Number Int
  | Bytes Int
  | LazyBytes Int
  | UpToNul
  | Rest
  | Skip Int
  | Place
  | Left'
  | AtEnd
  | Failing
  | Done'
  | Then Program Program
  | Or Program Program
  | -- | Each round reads one byte first.
    Many Program
  | Isolated Int Program
  | Named Program
  | Ahead Program
  | AheadM Bool Program
  | AheadE Bool Program
  deriving stock (Show)

-- | What a decoder saw, in order.
data Seen = Value Integer | String' [Word8] | Flag Bool | Group [[Seen]]
  deriving stock (Eq, Show)

-- | Which decoders there shall be.
data Kind = Kind
  { -- | Alternatives.
    withChoices :: Bool,
    -- | What reads over the ends of chunks, and does not give them back if it fails.
    withStretches :: Bool,
    -- | What only binary has: strings up to a zero byte, or to the end.
    withStrings :: Bool,
    -- | What depends on offsets and on the end of the input.
    withPlaces :: Bool,
    -- | Isolated parts.
    withIsolation :: Bool
  }

-- | A random decoder, of which the library has so many numbers.
program :: Kind -> Int -> Gen Program
program kind count = sized go
  where
    go n
      | n <= 1 = leaf
      | otherwise =
        frequency $
          [(8, Then <$> half <*> half), (1, Named <$> half), (1, Ahead <$> half), (2, leaf)]
            ++ [(w, g) | withChoices kind, (w, g) <- [(4, Or <$> half <*> half), (2, Many <$> half)]]
            ++ [(2, Isolated <$> choose (-1, 12) <*> half) | withIsolation kind]
            ++ [(1, AheadM <$> arbitrary <*> half), (1, AheadE <$> arbitrary <*> half)]
      where
        half = go (n `div` 2)
    leaf =
      frequency $
        [(10, Number <$> choose (0, count - 1)), (3, Bytes <$> choose (0, 6)), (1, pure Done'), (1, pure Failing)]
          ++ [(1, g) | withPlaces kind, g <- [pure Place, pure Left', pure AtEnd]]
          ++ [(w, g) | withStretches kind, (w, g) <- [(2, LazyBytes <$> choose (0, 20)), (2, Skip <$> choose (-1, 6))]]
          ++ [(1, g) | withStrings kind, g <- [pure UpToNul, pure Rest, pure (Bytes (-1)), pure (LazyBytes (-1))]]

-- | Programs that are smaller.
shrinkProgram :: Program -> [Program]
shrinkProgram p = case p of
  Then x y -> [x, y] ++ [Then x' y | x' <- shrinkProgram x] ++ [Then x y' | y' <- shrinkProgram y]
  Or x y -> [x, y] ++ [Or x' y | x' <- shrinkProgram x] ++ [Or x y' | y' <- shrinkProgram y]
  Many x -> inside Many x
  Isolated n x -> inside (Isolated n) x
  Named x -> inside Named x
  Ahead x -> inside Ahead x
  AheadM b x -> inside (AheadM b) x
  AheadE b x -> inside (AheadE b) x
  Done' -> []
  _ -> [Done']
  where
    inside f x = x : map f (shrinkProgram x)

-- | The decoder in a library.
interpret :: (Alternative m, MonadFail m) => Dialect m -> Program -> m [Seen]
interpret d = go
  where
    go p = case p of
      Number n -> one (Value <$> snd (numbers d !! n))
      Bytes n -> one (String' . S.unpack <$> bytes d n)
      LazyBytes n -> one (String' . L.unpack <$> lazyBytes d n)
      UpToNul -> one (String' . L.unpack <$> upToNul d)
      Rest -> one (String' . L.unpack <$> rest d)
      Skip n -> [] <$ skipped d n
      Place -> one (Value <$> place d)
      Left' -> one (Value <$> left d)
      AtEnd -> one (Flag <$> atEnd d)
      Failing -> fail "failing"
      Done' -> pure []
      Then x y -> (++) <$> go x <*> go y
      Or x y -> go x <|> go y
      Many x -> one (Group <$> many ((\a b -> String' (S.unpack a) : b) <$> bytes d 1 <*> go x))
      Isolated n x -> isolated d n (go x)
      Named x -> named d "named" (go x)
      Ahead x -> ahead d (go x)
      AheadM b x -> concat <$> aheadM d ((\seen -> if b then Nothing else Just seen) <$> go x)
      AheadE b x -> either id id <$> aheadE d ((if b then Left else Right) <$> go x)
    one = fmap (: [])

-- | Input of some bytes, many of them small, cut anywhere (none of the pieces is empty).
pieces :: Gen [S.ByteString]
pieces = do
  n <- choose (0, 40)
  input <- S.pack <$> vectorOf n (frequency [(2, choose (0, 3)), (1, arbitrary)])
  cut input
  where
    cut bs
      | S.null bs = pure []
      | otherwise = choose (1, S.length bs) >>= \k -> (S.take k bs :) <$> cut (S.drop k bs)
