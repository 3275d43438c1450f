-- |
-- Module      : Ashlar.Internal.Get.Separated
-- Description : Values with separators or operators between them
module Ashlar.Internal.Get.Separated
  ( -- * With separators
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

    -- * For other modules
    forced,
  )
where

import Ashlar.Internal.Get.Choice ()
import Ashlar.Internal.Get.Core
import Control.Applicative (Alternative (..), optional)
import qualified Data.List as List

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

-- The rest, from the separator after the first value on.
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
  -- | Whose value is returned.
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

-- The rest of a chain, after its first values, applied.
chainlFrom :: Get a -> Get (a -> a -> a) -> a -> Get a
chainlFrom p op = go
  where
    go a = operand p op >>= maybe (pure a) (\(f, b) -> go $! f a b)
{-# INLINE chainlFrom #-}

-- | 'chainl1', or a given value if there are no values.
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

-- | 'chainl1' whose operators are applied from the right, when the last value has been read.
--
-- >>> import qualified Ashlar.Get.Parse as Parse
-- >>> let number = Parse.decimal :: Get Int
-- >>> let power = (^) <$ Parse.word8 94
-- >>> runGet (chainr1 number power) "2^3^2"
-- Right 512
chainr1 :: Get a -> Get (a -> a -> a) -> Get a
chainr1 p op = p >>= chainrFrom p op
{-# INLINE chainr1 #-}

-- The rest of a chain, after its first value.
chainrFrom :: Get a -> Get (a -> a -> a) -> a -> Get a
chainrFrom p op = go []
  where
    -- Each value before the latest, applied to the operator after it. The last is first.
    go acc a =
      operand p op >>= \next -> case next of
        Just (f, b) -> go (f a : acc) b
        Nothing -> pure (List.foldl' (\b applied -> applied b) a acc)
{-# INLINE chainrFrom #-}

-- | 'chainr1', or a given value if there are no values.
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
