{-# LANGUAGE OverloadedStrings #-}

-- |
-- Module      : Ashlar.Schema.Internal.Evolution.Fields
-- Description : The steps for the fields of a constructor
module Ashlar.Schema.Internal.Evolution.Fields
  ( fieldOps,
  )
where

import Ashlar.Schema.Internal.Check (doubled)
import Ashlar.Schema.Internal.Edit
import Ashlar.Schema.Internal.Evolution.Arrange
import Ashlar.Schema.Internal.Evolution.Dropping
import Ashlar.Schema.Internal.Evolution.Mismatch
import Ashlar.Schema.Internal.Evolution.Op
import Ashlar.Schema.Internal.Evolution.Planning
import Ashlar.Schema.Internal.Evolution.Said
import Ashlar.Schema.Internal.Types
import qualified Data.Map.Strict as M
import qualified Data.Set as S

-- | The steps for the fields of an old constructor, given those for one field (which may be
-- converted), and what becomes of fields that today's constructor does not have.
fieldOps ::
  (Path -> Conversions -> Shape -> Shape -> Plan [Op]) ->
  Mode ->
  Path ->
  Unknown ->
  Said ->
  -- | The old fields.
  [Field] ->
  -- | Today's fields.
  [Field] ->
  Plan [Op]
fieldOps one mode path skip said olds news = do
  found <- traverse oldField olds
  let names = [name | (Just name, _) <- found]
  case doubled names of
    Just name -> ambiguous name
    Nothing -> pure ()
  items <- traverse (newField (S.fromList names)) news
  let arranged = arrange found items
  case arranged of
    _ | mode == Anywhere -> pure arranged
    _
      | map (Just . fieldName) news == map fst found -> pure arranged
      | otherwise -> bad path KeyChanges
  where
    newShapes = M.fromList [(fieldName f, fieldShape f) | f <- news]
    oldFieldNames = S.fromList (map fieldName olds)
    renames =
      first'
        [ (a, b)
          | Renamed a b <- saidEdits said,
            S.notMember b oldFieldNames,
            M.member b newShapes
        ]
    defaults = first' [(name, bs) | Added name bs <- saidEdits said]
    gone = S.fromList [name | Dropped name <- saidEdits said]
    at name
      | mode == Anywhere,
        saidIsEditable said =
        Place name (saidType said) (saidNow said name) : Segment "." : path
      | otherwise = inside name
    inside name = Segment name : Segment "." : path
    saying suggestions
      | mode == Anywhere, saidIsEditable said = InEvolutionOf (saidType said) suggestions
      | otherwise = converting path
    oldField (Field name x) = case today name of
      Just n
        | Just y <- M.lookup n newShapes ->
          (,) (Just n) <$> one (at n) (conversionsOf said n) x y
      _
        | mode == InKey -> bad path KeyChanges
        | S.member name gone || skip /= RefuseUnknown ->
          (,) Nothing <$> dropShape (inside name) x
        | otherwise ->
          badSaying path (FieldIsUnknown name) . Just . saying $
            SayDropped (saidBefore said name) :
              [ SayRenamed (saidBefore said name)
                | not (all ((`S.member` oldFieldNames) . fieldName) news)
              ]
    today name
      | M.member name newShapes = Just name
      | otherwise = M.lookup name renames
    ambiguous name =
      badSaying (inside name) (FieldIsAmbiguous name) . Just . saying $
        [SayDroppedInstead (saidBefore said a) | Field a _ <- olds, today a == Just name]
    newField there (Field name _)
      | S.member name there = pure (Left name)
      | mode == InKey = bad path KeyChanges
      | otherwise = case M.lookup name defaults of
        Just bs -> pure (Right bs)
        Nothing ->
          badSaying (at name) (FieldIsNew name) . Just $ saying [SayAdded (saidNow said name)]
