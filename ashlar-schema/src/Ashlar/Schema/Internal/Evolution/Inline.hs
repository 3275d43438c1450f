-- |
-- Module      : Ashlar.Schema.Internal.Evolution.Inline
-- Description : Procedures that are calls, and those that are not
--
-- A procedure that is recursive stays one, and each call of it is a level of nesting. A small one
-- becomes part of its callers. So a chain of definitions that an untrusted schema refers through
-- costs nothing for each value. The size of a procedure is computed once, not at each call: a
-- procedure of many steps may have many calls.
--
-- A schema may refer to a record a million times. So once 'mostInlined' steps have become part of
-- others, only the smallest procedures still do. (Test "a record that is referred to often".)
module Ashlar.Schema.Internal.Evolution.Inline
  ( inlined,
  )
where

import Ashlar.Schema.Internal.Evolution.Op
import qualified Data.IntMap.Strict as IM
import qualified Data.IntSet as IS
import qualified Data.List as List

data Found = Found
  { -- The steps of each procedure, and how large they are.
    foundDone :: !(IM.IntMap ([Op], Int)),
    -- The procedures that are called while they run.
    foundRecursive :: !IS.IntSet,
    -- How many steps have become part of others.
    foundInlined :: !Int
  }

mostInlined :: Int
mostInlined = 65536

-- | The same program with fewer calls.
inlined :: Program -> Program
inlined (Program main procedures) =
  Program main' (IM.restrictKeys (IM.map fst (foundDone found)) (reached main'))
  where
    found = visitAll IS.empty (callees main) (Found IM.empty IS.empty 0)
    (main', _) = simplified found main

    visitAll inside is st = List.foldl' (\s i -> visit inside i s) st is

    visit :: IS.IntSet -> Int -> Found -> Found
    visit inside i st
      | IM.member i (foundDone st) = st
      | IS.member i inside = st {foundRecursive = IS.insert i (foundRecursive st)}
      | otherwise =
        let body = IM.findWithDefault [] i procedures
            st' = visitAll (IS.insert i inside) (IS.toList (IS.fromList (callees body))) st
            (ops, grown) = simplified st' body
         in st'
              { foundDone = IM.insert i (ops, opsSize ops) (foundDone st'),
                foundInlined = foundInlined st' + grown
              }

    reached ops = go IS.empty (callees ops)
    go seen is = case is of
      [] -> seen
      i : rest
        | IS.member i seen -> go seen rest
        | otherwise ->
          go (IS.insert i seen) (callees (maybe [] fst (IM.lookup i (foundDone found))) ++ rest)

-- The steps with fewer calls, and how many steps were put in their place.
simplified :: Found -> [Op] -> ([Op], Int)
simplified st ops
  | grown <= mostInlined - foundInlined st = (tidy (substituted 64 st ops), grown)
  | otherwise = (tidy (substituted 1 st ops), 0)
  where
    grown = List.foldl' (+) 0 [n | i <- callees ops, Just n <- [sizeOf i], n <= 64]
    sizeOf i
      | IS.member i (foundRecursive st) = Nothing
      | otherwise = snd <$> IM.lookup i (foundDone st)

-- Put the bodies of procedures of at most this size in place of their calls.
substituted :: Int -> Found -> [Op] -> [Op]
substituted most st = concatMap one
  where
    one op = case op of
      Call _ i
        | IS.member i (foundRecursive st) -> [Call True i]
        | otherwise -> case IM.lookup i (foundDone st) of
          Just (body, n)
            | n <= most -> body
            | otherwise -> [Call False i]
          -- It is being visited.
          Nothing -> [Call True i]
      Each from to least ops -> [Each from to least (substituted most st ops)]
      Switch name width exact alternatives ->
        [Switch name width exact (map inAlternative alternatives)]
      Permute groups order -> [Permute (map (substituted most st) groups) order]
      _ -> [op]
    inAlternative alternative = case alternative of
      Accepted ops -> Accepted (substituted most st ops)
      _ -> alternative
