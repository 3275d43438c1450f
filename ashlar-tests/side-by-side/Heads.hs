-- |
-- Module      : Heads
-- Description : The instances of a class, as the compiler knows them
module Heads (Head, heads, headsText) where

import Data.List (nub, sort)
import Data.Maybe (fromMaybe)
import Language.Haskell.TH

-- | The type of an instance, and the module of its outermost type constructor.
type Head = (String, String)

-- | A list of 'Head', as an expression.
heads :: Name -> Q Exp
heads c = instances c >>= \found -> listE [tupE [stringE m, stringE t] | (m, t) <- found]

-- | The same as lines, as an expression.
headsText :: Name -> Q Exp
headsText c = instances c >>= \found -> stringE (unlines (map line found))
  where
    line (m, t) = unwords [if null m then "-" else m, t]

instances :: Name -> Q [Head]
instances c = do
  info <- reify c
  pure . nub . sort $ case info of
    ClassI _ is -> [(moduleOf t, shown False t) | InstanceD _ _ (AppT _ t) _ <- is]
    _ -> []

moduleOf :: Type -> String
moduleOf t = case t of
  AppT f _ -> moduleOf f
  SigT u _ -> moduleOf u
  ConT n -> fromMaybe "" (nameModule n)
  _ -> ""

-- Without modules, and without the names of variables. In parentheses, if it is an argument?
shown :: Bool -> Type -> String
shown inside t = case t of
  SigT u _ -> shown inside u
  ConT n -> nameBase n
  VarT _ -> "_"
  ListT -> "[]"
  TupleT n -> if n == 0 then "()" else "Tuple" ++ show n
  AppT f x
    | inside -> "(" ++ applied ++ ")"
    | otherwise -> applied
    where
      applied = unwords [shown False f, shown True x]
  _ -> pprint t
