{-# LANGUAGE DerivingStrategies #-}
{-# LANGUAGE RankNTypes #-}

-- |
-- Module      : Tests.Dialect
-- Description : Random decoders over the functions that binary, cereal and Ashlar share
--
-- A decoder is data. One interpretation runs it with the functions of a library, so two libraries
-- run the same program.
module Tests.Dialect
  ( Dialect (..),
    Program (..),
    Seen (..),
    Kind (..),
    program,
    shrinkProgram,
    interpret,
    checkShares,
    chunks,
  )
where

import Control.Applicative (Alternative, many, (<|>))
import qualified Data.ByteString as S
import qualified Data.ByteString.Lazy as L
import Data.Word (Word8)
import Test.QuickCheck

-- | The functions of a library. Numbers are returned as integers, floating-point numbers as their
-- bits.
data Dialect m = Dialect
  { numbers :: [(String, m Integer)],
    bytes :: Int -> m S.ByteString,
    lazyBytes :: Int -> m L.ByteString,
    upToNul :: m L.ByteString,
    rest :: m L.ByteString,
    skipped :: Int -> m (),
    offset :: m Integer,
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
  | Where
  | Left'
  | AtEnd
  | Failing
  | Done'
  | Then Program Program
  | Or Program Program
  | -- | Each iteration reads one byte first.
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

-- | Which decoders to generate.
data Kind = Kind
  { -- | Alternatives.
    withChoices :: Bool,
    -- | Decoders that read past the ends of chunks, and do not give them back if they fail.
    withLongReads :: Bool,
    -- | Decoders that only binary has: strings up to a zero byte, or up to the end.
    withStrings :: Bool,
    -- | Decoders that depend on the offset or on the end of the input.
    withOffsets :: Bool,
    -- | Decoders with 'isolated'.
    withIsolation :: Bool
  }

-- | A random decoder, for a library with this many kinds of numbers.
program :: Kind -> Int -> Gen Program
program kind count = sized go
  where
    go n
      | n <= 1 = leaf
      | otherwise =
        frequency $
          [(8, Then <$> half <*> half), (1, Named <$> half), (1, Ahead <$> half), (2, leaf)]
            ++ concat [[(4, Or <$> half <*> half), (2, Many <$> half)] | withChoices kind]
            ++ [(2, Isolated <$> choose (-1, 12) <*> half) | withIsolation kind]
            ++ [(1, AheadM <$> arbitrary <*> half), (1, AheadE <$> arbitrary <*> half)]
      where
        half = go (n `div` 2)
    leaf =
      frequency $
        [ (10, Number <$> choose (0, count - 1)),
          (3, Bytes <$> choose (0, 6)),
          (1, pure Done'),
          (1, pure Failing)
        ]
          ++ [(1, g) | withOffsets kind, g <- [pure Where, pure Left', pure AtEnd]]
          ++ [ (2, g)
               | withLongReads kind,
                 g <- [LazyBytes <$> choose (0, 20), Skip <$> choose (-1, 6)]
             ]
          ++ [(1, g) | withStrings kind, g <- map pure [UpToNul, Rest, Bytes (-1), LazyBytes (-1)]]

-- | Smaller programs.
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
      Where -> one (Value <$> offset d)
      Left' -> one (Value <$> left d)
      AtEnd -> one (Flag <$> atEnd d)
      Failing -> fail "failing"
      Done' -> pure []
      Then x y -> (++) <$> go x <*> go y
      Or x y -> go x <|> go y
      Many x ->
        one (Group <$> many ((\a b -> String' (S.unpack a) : b) <$> bytes d 1 <*> go x))
      Isolated n x -> isolated d n (go x)
      Named x -> named d "named" (go x)
      Ahead x -> ahead d (go x)
      AheadM b x -> concat <$> aheadM d ((\seen -> if b then Nothing else Just seen) <$> go x)
      AheadE b x -> either id id <$> aheadE d ((if b then Left else Right) <$> go x)
    one = fmap (: [])

-- | Checks what random decoders do, given the result of one: a share of them succeeds with a value,
-- and a share fails.
checkShares :: Testable p => Either e [Seen] -> p -> Property
checkShares result =
  checkCoverage
    . cover 25 (either (const False) (not . null) result) "succeed with a value"
    . cover 25 (either (const True) (const False) result) "fail"

-- | Input cut anywhere into chunks that are not empty. Many of its bytes are small.
chunks :: Gen [S.ByteString]
chunks = do
  n <- choose (0, 40)
  input <- S.pack <$> vectorOf n (frequency [(2, choose (0, 3)), (1, arbitrary)])
  cut input
  where
    cut bs
      | S.null bs = pure []
      | otherwise = choose (1, S.length bs) >>= \k -> (S.take k bs :) <$> cut (S.drop k bs)
