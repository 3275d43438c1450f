{-# LANGUAGE BangPatterns #-}
{-# LANGUAGE Trustworthy #-}

-- |
-- Module      : Ashlar.Get.Combinators
-- Description : Repetition, choice and separators
--
-- The combinators of attoparsec and parser-combinators, made for 'Get'. They collect results
-- without using the stack, keep bytes for going back only during one element, and do not loop on a
-- decoder that reads nothing.
--
-- 'Control.Applicative.many', 'Control.Applicative.some' and 'Control.Applicative.optional' are
-- those of "Control.Applicative". Functions whose names end in a prime force each element when it
-- has been decoded.
--
-- The names are short, and your program may use some of them: import this module qualified, or with
-- an import list.
--
-- Note [Elements that read nothing]
-- ~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~~
-- A decoder is a function of the input and the offset in it. So if a round of a loop succeeds
-- without reading anything, all later rounds would do the same. A loop without an end marker stops
-- there, without the element, as 'Control.Applicative.many' does. A loop with an end marker would
-- never find it, so it fails. In a loop with a number of rounds, which the input may choose, rounds
-- that read nothing count against the run's budget of steps. (Tests "elements that read nothing".)
module Ashlar.Get.Combinators
  ( -- * Choice
    choice,
    option,
    eitherP,

    -- * Fewer values
    refine,

    -- * Repetition
    count,
    many1,
    many',
    many1',
    manyFold,
    skipMany,
    skipMany1,
    skipCount,

    -- * Up to an end
    manyTill,
    manyTill',
    manyTill_,
    someTill,
    skipManyTill,

    -- * With separators
    sepBy,
    sepBy1,
    sepBy',
    sepBy1',
    endBy,
    endBy1,
    sepEndBy,
    sepEndBy1,
    between,

    -- * With operators
    chainl,
    chainl1,
    chainr,
    chainr1,
  )
where

import Ashlar.Internal.Get.Budget
import Ashlar.Internal.Get.Bytes (ifReadsNothing)
import Ashlar.Internal.Get.Choice (manyFold)
import Ashlar.Internal.Get.Core
import Ashlar.Internal.Get.Fail
import Control.Applicative (Alternative (..), optional)
import Data.Bifunctor (first)
import qualified Data.List as List
import Data.Maybe (fromMaybe)

-- | The first decoder of a list that succeeds. Fails if none does, and for an empty list.
--
-- >>> import Ashlar.Get.Parse (bytes)
-- >>> runGet (choice [bytes "yes", bytes "no"]) "no"
-- Right "no"
choice :: Foldable f => f (Get a) -> Get a
choice ps = fromMaybe empty (foldr join Nothing ps)
  where
    -- (Without an 'empty' at the end, which would only add an error without content.)
    join p others = Just (maybe p (p <|>) others)
{-# INLINE choice #-}

-- | @option x p@ is @p@, or @x@ if that fails. If the next byte decides,
-- 'Ashlar.Get.Parse.optionIf' and 'Ashlar.Get.Parse.switch' are usually faster, and never slower.
option :: a -> Get a -> Get a
option x p = p <|> pure x
{-# INLINE option #-}

-- | The first decoder, or the second if the first fails.
eitherP :: Get a -> Get b -> Get (Either a b)
eitherP p q = (Left <$> p) <|> (Right <$> q)
{-# INLINE eitherP #-}

-- | @n@ values, or none if @n@ is negative.
--
-- The number may be untrusted input: memory is only allocated as values are decoded, and values
-- that read nothing count against a budget.
--
-- >>> runGet (getWord8 >>= \n -> count (fromIntegral n) getWord8) "\2ab"
-- Right [97,98]
count :: Int -> Get a -> Get [a]
count n p = reverse <$> counted n (flip (:)) [] p
{-# INLINE count #-}

-- | 'count' without the values.
skipCount :: Int -> Get a -> Get ()
skipCount n = counted n (\_ _ -> ()) ()
{-# INLINE skipCount #-}

counted :: Int -> (b -> a -> b) -> b -> Get a -> Get b
counted n0 f z p = go n0 z
  where
    go n !acc
      | n <= 0 = pure acc
      | otherwise = do
        a <- chargedIfEmpty p
        go (n - 1) (f acc a)
{-# INLINE counted #-}

-- | 'some'.
many1 :: Get a -> Get [a]
many1 = some
{-# INLINE many1 #-}

-- | 'many', with each value forced.
many' :: Get a -> Get [a]
many' p = many (forced p)
{-# INLINE many' #-}

-- | 'some', with each value forced.
many1' :: Get a -> Get [a]
many1' p = some (forced p)
{-# INLINE many1' #-}

-- | 'many' without the values.
skipMany :: Get a -> Get ()
skipMany = manyFold (\_ _ -> ()) ()
{-# INLINE skipMany #-}

-- | 'some' without the values.
skipMany1 :: Get a -> Get ()
skipMany1 p = p *> skipMany p
{-# INLINE skipMany1 #-}

-- | @manyTill p end@: values until @end@ succeeds. @end@ is tried before each value. The bytes of
-- @end@ are read.
--
-- >>> import Ashlar.Get.Parse (bytes)
-- >>> runGet (manyTill getWord8 (bytes "\r\n")) "ab\r\n"
-- Right [97,98]
manyTill :: Get a -> Get end -> Get [a]
manyTill p end = fst <$> manyTill_ p end
{-# INLINE manyTill #-}

-- | 'manyTill', with each value forced.
manyTill' :: Get a -> Get end -> Get [a]
manyTill' p = manyTill (forced p)
{-# INLINE manyTill' #-}

-- | 'manyTill', also returning the value of the end.
--
-- >>> runGet (manyTill_ getWord8 (satisfy (>= 128))) "\1\2\200"
-- Right ([1,2],200)
manyTill_ :: Get a -> Get end -> Get ([a], end)
manyTill_ p end = first reverse <$> foldTill (flip (:)) [] p end
{-# INLINE manyTill_ #-}

-- | 'manyTill' of at least one value.
someTill :: Get a -> Get end -> Get [a]
someTill p end = (:) <$> p <*> manyTill p end
{-# INLINE someTill #-}

-- | 'manyTill' without the values. Returns the value of the end.
skipManyTill :: Get a -> Get end -> Get end
skipManyTill p end = snd <$> foldTill (\_ _ -> ()) () p end
{-# INLINE skipManyTill #-}

foldTill :: (b -> a -> b) -> b -> Get a -> Get end -> Get (b, end)
foldTill f z p end = go z
  where
    go !acc =
      optional end >>= \found -> case found of
        Just e -> pure (acc, e)
        Nothing -> ifReadsNothing (const idle) p >>= \a -> go (f acc a)
    idle = invalid "an element that reads nothing, and no end"
{-# INLINE foldTill #-}

-- | A decoder whose value is forced.
forced :: Get a -> Get a
forced p = p >>= \a -> a `seq` pure a
{-# INLINE forced #-}

-- | @sepBy p sep@: values with separators between them. A separator is read only if a value follows
-- it.
--
-- >>> import qualified Ashlar.Get.Parse as Parse
-- >>> runGetRest (sepBy (Parse.decimal :: Get Int) (Parse.word8 44)) "1,23,4;"
-- Right ([1,23,4],";")
sepBy :: Get a -> Get sep -> Get [a]
sepBy p sep = optional p >>= maybe (pure []) (\a -> (a :) <$> many (sep *> p))
{-# INLINE sepBy #-}

-- | 'sepBy' of at least one value.
sepBy1 :: Get a -> Get sep -> Get [a]
sepBy1 p sep = (:) <$> p <*> many (sep *> p)
{-# INLINE sepBy1 #-}

-- | 'sepBy', with each value forced.
sepBy' :: Get a -> Get sep -> Get [a]
sepBy' p = sepBy (forced p)
{-# INLINE sepBy' #-}

-- | 'sepBy1', with each value forced.
sepBy1' :: Get a -> Get sep -> Get [a]
sepBy1' p = sepBy1 (forced p)
{-# INLINE sepBy1' #-}

-- | Values with a separator after each.
--
-- >>> runGetRest (getWord8 `endBy` satisfy (== 0)) "\1\0\2\0\3"
-- Right ([1,2],"\ETX")
endBy :: Get a -> Get sep -> Get [a]
endBy p sep = many (p <* sep)
{-# INLINE endBy #-}

-- | 'endBy' of at least one value.
endBy1 :: Get a -> Get sep -> Get [a]
endBy1 p sep = some (p <* sep)
{-# INLINE endBy1 #-}

-- | Values with separators between them, and perhaps one more after the last.
--
-- >>> runGet (getWord8 `sepEndBy` satisfy (== 0)) "\1\0\2\0"
-- Right [1,2]
sepEndBy :: Get a -> Get sep -> Get [a]
sepEndBy p sep = optional p >>= maybe (pure []) (sepEndAfter p sep)
{-# INLINE sepEndBy #-}

-- | 'sepEndBy' of at least one value.
sepEndBy1 :: Get a -> Get sep -> Get [a]
sepEndBy1 p sep = p >>= sepEndAfter p sep
{-# INLINE sepEndBy1 #-}

-- 'sepEndBy' after its first value.
sepEndAfter :: Get a -> Get sep -> a -> Get [a]
sepEndAfter p sep a0 = go [a0]
  where
    go acc = do
      before <- here
      separated <- (True <$ sep) <|> pure False
      next <- if separated then optional p else pure Nothing
      after <- here
      case next of
        Just a | after /= before -> go (a : acc)
        _ -> pure (reverse acc)
{-# INLINE sepEndAfter #-}

-- | @between open close p@ is @p@ with @open@ before it and @close@ after it.
between ::
  -- | What comes before.
  Get open ->
  -- | What comes after.
  Get close ->
  -- | The decoder whose value is returned.
  Get a ->
  Get a
between open close p = open *> p <* close
{-# INLINE between #-}

-- | @chainl1 p op@: values with operators between them, which are applied from the left. An
-- operator is read only if a value follows it. Each result is forced.
--
-- >>> import qualified Ashlar.Get.Parse as Parse
-- >>> let number = Parse.decimal :: Get Int
-- >>> let minus = (-) <$ Parse.word8 45
-- >>> runGetRest (chainl1 number minus) "9-4-3-"
-- Right (2,"-")
chainl1 ::
  -- | A value.
  Get a ->
  -- | An operator.
  Get (a -> a -> a) ->
  Get a
chainl1 p op = p >>= chainlFrom p op
{-# INLINE chainl1 #-}

-- 'chainl1' after its first values, given the result of these.
chainlFrom :: Get a -> Get (a -> a -> a) -> a -> Get a
chainlFrom p op = go
  where
    go a = operand p op >>= maybe (pure a) (\(f, b) -> go $! f a b)
{-# INLINE chainlFrom #-}

-- | 'chainl1' that may have no values.
chainl ::
  -- | A value.
  Get a ->
  -- | An operator.
  Get (a -> a -> a) ->
  -- | The result where there are no values.
  a ->
  Get a
chainl p op a = optional p >>= maybe (pure a) (chainlFrom p op)
{-# INLINE chainl #-}

-- | 'chainl1' whose operators are applied from the right, after the last value has been read.
--
-- >>> import qualified Ashlar.Get.Parse as Parse
-- >>> let number = Parse.decimal :: Get Int
-- >>> let power = (^) <$ Parse.word8 94
-- >>> runGet (chainr1 number power) "2^3^2"
-- Right 512
chainr1 :: Get a -> Get (a -> a -> a) -> Get a
chainr1 p op = p >>= chainrFrom p op
{-# INLINE chainr1 #-}

-- 'chainr1' after its first value.
chainrFrom :: Get a -> Get (a -> a -> a) -> a -> Get a
chainrFrom p op = go []
  where
    -- 'acc' has each value before 'a', applied to the operator after it, the last one first.
    go acc a =
      operand p op >>= \next -> case next of
        Just (f, b) -> go (f a : acc) b
        Nothing -> pure (List.foldl' (\b applied -> applied b) a acc)
{-# INLINE chainrFrom #-}

-- | 'chainr1' that may have no values.
chainr ::
  -- | A value.
  Get a ->
  -- | An operator.
  Get (a -> a -> a) ->
  -- | The result where there are no values.
  a ->
  Get a
chainr p op a = optional p >>= maybe (pure a) (chainrFrom p op)
{-# INLINE chainr #-}

-- An operator and a value, if both succeed and read something.
operand :: Get a -> Get op -> Get (Maybe (op, a))
operand p op = do
  before <- here
  next <- optional ((,) <$> op <*> p)
  after <- here
  pure (if after == before then Nothing else next)
{-# INLINE operand #-}
