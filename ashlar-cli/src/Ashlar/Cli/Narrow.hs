-- |
-- Module      : Ashlar.Cli.Narrow
-- Description : Reading no more of a value than a path leads to
module Ashlar.Cli.Narrow
  ( narrowing,
  )
where

import Ashlar.Cli.Path
import Ashlar.Codec (Get)
import Ashlar.Schema
import Ashlar.Schema.Internal.Describe (Description (..), pruned)
import Ashlar.Schema.Internal.Evolution.Plan (Unknown (..), planned)
import Ashlar.Schema.Internal.Json.Values
import Ashlar.Schema.Internal.Types (shapesIn)
import Ashlar.Schema.Internal.Unwrap (references)
import qualified Data.IntMap.Strict as IM
import qualified Data.IntSet as IS
import qualified Data.Vector as V

-- | What is left of a schema if all fields beside a path are left out, and how to read that: the
-- plan of a type without these fields, which passes over them. If there is no such plan, all is
-- read.
--
-- > follow whole path value == follow narrow path narrowValue
narrowing :: Path -> Schema -> (Schema, Get Value)
narrowing path s = case planned SkipUnknown narrow (getPlainValue (descriptionSchema narrow)) s of
  Right g -> (descriptionSchema narrow, g)
  Left _ -> (s, getPlainValue s)
  where
    narrow = narrowed path s

-- The schema without fields beside the path. Constructors whose fields have no names keep them all.
-- A definition may be reached after several numbers of steps, and keeps what any of them needs.
narrowed :: Path -> Schema -> Description
narrowed path s =
  pruned (schemaRoot s) (IM.fromList (V.toList (V.imap (\i d -> (i, (left i d, []))) definitions)))
  where
    definitions = schemaDefinitions s
    steps = V.fromList path
    -- Behind the last step everything is needed.
    behind = V.length steps

    left i d = case IM.lookup i reached of
      Nothing -> d
      Just numbers ->
        let needed = IS.fromList [k | n <- IS.toList numbers, (k, _, _) <- fieldsAt n d]
            without j c =
              c {constructorFields = [f | (k, f) <- numbered j c, IS.member k needed]}
         in d {definitionConstructors = zipWith without [0 ..] (definitionConstructors d)}

    -- The definitions that are reached, each with the numbers of steps after which they are.
    reached = go IM.empty (toShape 0 (schemaRoot s))
      where
        go seen found = case found of
          [] -> seen
          (i, n) : rest
            | maybe False (IS.member n) (IM.lookup i seen) -> go seen rest
            | otherwise ->
              go
                (IM.insertWith IS.union i (IS.singleton n) seen)
                (concat [toShape m x | (_, m, x) <- fieldsAt n (definitions V.! i)] ++ rest)

    -- The definitions that a shape leads to, after n steps.
    toShape n shape = case (shape, steps V.!? n) of
      (_, Nothing) -> [(i, behind) | i <- references shape]
      (Reference i, _) -> [(i, n)]
      (Optional inner, _) -> toShape n inner
      (Packed inner, _) -> toShape n inner
      (Unpacked inner, _) -> toShape n inner
      (Tuple ss, Just (Named name)) ->
        let after i = if Just i == position name then n + 1 else behind
         in concat (zipWith (toShape . after) [0 ..] ss)
      (Map _ k x, Just EachKey) -> toShape (n + 1) k ++ toShape behind x
      (Map _ k x, _) -> toShape behind k ++ toShape (n + 1) x
      (Array i inner, _) -> toShape behind i ++ toShape (n + 1) inner
      (_, _) -> concatMap (toShape (n + 1)) (shapesIn shape)

    -- The fields of a definition that are needed after n steps: their numbers, and the steps after
    -- which they are reached.
    fieldsAt n d = case (definitionForm d, steps V.!? n) of
      (_, Nothing) -> concat (zipWith (allAt behind) [0 ..] cs)
      (Newtype, _) -> concat (zipWith (allAt n) [0 ..] cs)
      (Sum, Just (Named name))
        | any ((== name) . constructorName) cs ->
          concat [ofConstructor j c | (j, c) <- zip [0 ..] cs, constructorName c == name]
      (_, Just (Named name)) -> concat (zipWith (named name (n + 1)) [0 ..] cs)
      _ -> []
      where
        cs = definitionConstructors d
        ofConstructor = case steps V.!? (n + 1) of
          Just (Named name) -> named name (n + 2)
          _ -> allAt behind
    allAt m j c = [(k, m, fieldShape f) | (k, f) <- numbered j c]
    named name m j c =
      [ (k, if fieldName f == name then m else behind, fieldShape f)
        | (k, f) <- numbered j c,
          fieldName f == name || isPositional c
      ]
    -- The fields of the constructor with a number, numbered in turn.
    numbered j c = zip [j * 65536 ..] (constructorFields c) :: [(Int, Field)]
