{-# LANGUAGE OverloadedStrings #-}

-- |
-- Module      : Ashlar.Schema.Internal.Evolution.Dropping
-- Description : The steps for values that are left out or refused
module Ashlar.Schema.Internal.Evolution.Dropping
  ( dropShape,
    dropDefinition,
    retired,
    refused,
  )
where

import Ashlar.Schema.Internal.Check (shortened)
import Ashlar.Schema.Internal.Costs (tagSize)
import Ashlar.Schema.Internal.Evolution.Leaves
import Ashlar.Schema.Internal.Evolution.Mismatch
import Ashlar.Schema.Internal.Evolution.Op
import Ashlar.Schema.Internal.Evolution.Planning
import Ashlar.Schema.Internal.Types
import qualified Data.ByteString as B

-- | The steps that leave out a value. They decode no more than its extent.
dropShape :: Path -> Shape -> Plan [Op]
dropShape path x = case x of
  Leaf l -> pure (leafOps False l)
  Between _ _ l -> pure (leafOps False l)
  Ratio a -> (\ops -> ops ++ ops) <$> dropShape path a
  Optional a -> do
    ops <- dropShape path a
    pure [Switch "Maybe" 1 False [Accepted [], Accepted ops]]
  Tuple as -> concat <$> traverse (dropShape path) as
  List m a -> eachDropped m <$> dropShape path a
  NonEmpty m a -> eachDropped m <$> dropShape path a
  Set m a -> eachDropped m <$> dropShape path a
  Map m k a -> do
    keys <- dropShape path k
    ops <- dropShape path a
    pure (eachDropped m (keys ++ ops))
  Array i a -> do
    bounds <- dropShape path i
    ops <- dropShape path a
    pure (bounds ++ bounds ++ eachDropped Length64 ops)
  Constant bs -> pure [Skip (B.length bs)]
  Reference i -> call path (Dropping i)
  Opaque name _ size -> case size of
    Just n -> pure [Skip (bounded n)]
    Nothing -> bad path (NotDescribed name)
  Irregular name -> bad path (IsIrregular name)
  Packed a -> call path (DroppingPacked a)
  Unpacked a -> dropShape path a
  where
    eachDropped m ops = [Each m Nothing 0 ops]

-- | The same for a value of a definition.
dropDefinition :: Path -> Definition -> Plan [Op]
dropDefinition path d = case (definitionForm d, definitionConstructors d) of
  (Sum, cs) -> do
    alternatives <- traverse alternative cs
    pure [Switch (shortened (definitionName d)) (tagSize (length cs)) False alternatives]
  (_, cs) -> concat <$> traverse inside cs
  where
    alternative c
      | constructorRetired c = pure (retired c)
      | otherwise = Accepted <$> inside c
    inside c = concat <$> traverse (dropShape path . fieldShape) (constructorFields c)

-- | The alternative that refuses a constructor that is no longer in use.
retired :: Constructor -> Alternative
retired c = refused c "which is no longer in use"

-- | The alternative that refuses a constructor, given why.
refused :: Constructor -> String -> Alternative
refused c why = Refused ("constructor " ++ shortened (constructorName c) ++ ", " ++ why)
